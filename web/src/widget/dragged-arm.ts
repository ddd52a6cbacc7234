/** An arm on a canvas that is moved by hand: its tip and its links can be dragged, arrow keys move the tip. */

import { drawBackdrop } from "../arm-backdrop";
import { drawArm, drawJointMarks, drawMount, drawShade, type Pen, toPixels } from "../arm-draw";
import { number } from "../arm-header";
import type { Arm } from "../document";
import { el, setAttribute } from "../dom";
import { lengthUnit, linkRadii, Viewport } from "../geometry";
import { at } from "../interpolate";
import { readPalette } from "../palette";
import { partAt } from "../playground/gestures";
import { otherBranch, places, reachedFrom, tipOf, turned } from "./posing";

/** A device pixel ratio beyond which nobody sees more, and slow machines stumble. */
const FINEST = 2;
/** Of more joints no angles are written. */
const MOST_ANGLES = 6;
/** How far a key moves the tip, in shares of the reach: by itself, and with Shift. */
const NUDGE = { near: 0.01, far: 0.05 };
const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1],
};

interface Place {
  x: number;
  y: number;
}

/** What a pointer holds: the tip, at some pixels from its middle, or a link by the angle it was taken at. */
type Grip = { kind: "tip"; dx: number; dy: number } | { kind: "joint"; joint: number; angle: number; start: number };

export interface DragEvents {
  /** The posture was changed by hand. */
  moved(q: readonly number[]): void;
  /** The hand let go. */
  released(): void;
}

export class DraggedArm {
  readonly canvas: HTMLCanvasElement;
  readonly #root: HTMLElement;
  readonly #arm: Arm;
  readonly #events: DragEvents;
  readonly #context: CanvasRenderingContext2D;
  readonly #backdrop = document.createElement("canvas");
  readonly #view = new Viewport();
  readonly #tip = el("span", { class: "arm-tip" });
  readonly #angles = el("span", { class: "arm-tip widget-angles" });
  readonly #status = el("span", { class: "arm-status widget-status", hidden: true });
  readonly #end = new AbortController();
  readonly #observer: ResizeObserver;
  #q: readonly number[];
  #ratio = 1;
  #stale = true;
  #hovered = -1;
  #grip: { pointer: number; held: Grip } | null = null;
  #frame: number | null = null;

  constructor(host: HTMLElement, arm: Arm, q: readonly number[], events: DragEvents) {
    this.#arm = arm;
    this.#q = [...q];
    this.#events = events;
    const use = "Drag the tip or a link; arrow keys move the tip, with Shift farther.";
    this.canvas = el("canvas", { class: "arm-canvas", tabindex: "0", role: "application", "aria-roledescription": "arm", title: use });
    const head = el("div", { class: "arm-head" }, el("span", { class: "widget-name", text: arm.name }), this.#angles, this.#tip);
    this.#root = el("div", { class: "arm-view widget-arm" }, head, el("div", { class: "arm-box" }, this.canvas, this.#status));
    host.append(this.#root);
    this.#context = this.canvas.getContext("2d", { alpha: false }) as CanvasRenderingContext2D;
    this.#listen();
    this.#observer = new ResizeObserver(() => this.#resize());
    this.#observer.observe(this.canvas);
    this.#resize();
  }

  get q(): readonly number[] {
    return this.#q;
  }

  /** Show a posture that came from elsewhere. */
  show(q: readonly number[]): void {
    this.#q = [...q];
    this.#changed();
  }

  /** Read colours again, after a change of theme. */
  recolour(): void {
    this.#stale = true;
    this.#changed();
  }

  destroy(): void {
    this.#end.abort();
    this.#observer.disconnect();
    if (this.#frame !== null) cancelAnimationFrame(this.#frame);
    this.#root.remove();
  }

  #listen(): void {
    const { signal } = this.#end;
    const { canvas } = this;
    canvas.addEventListener("pointerdown", (event) => this.#down(event), { signal });
    canvas.addEventListener("pointermove", (event) => this.#move(event), { signal });
    for (const name of ["pointerup", "pointercancel"] as const) canvas.addEventListener(name, (event) => this.#up(event), { signal });
    canvas.addEventListener("pointerleave", () => this.#hover(-1), { signal });
    canvas.addEventListener("keydown", (event) => this.#key(event), { signal });
    // A finger on the arm moves it; beside the arm it scrolls the notebook.
    const touch = (event: TouchEvent): void => {
      const finger = event.touches[0];
      if (finger && this.#partAt(this.#spot(finger), "touch") >= 0) event.preventDefault();
    };
    canvas.addEventListener("touchstart", touch, { passive: false, signal });
  }

  #spot(event: { clientX: number; clientY: number }): Place {
    const box = this.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  #plane(spot: Place): Place {
    const seen = this.#view.seen();
    return { x: seen.left + spot.x / this.#view.scale, y: seen.top - spot.y / this.#view.scale };
  }

  #pixels(q: readonly number[]): Float64Array {
    return toPixels(this.#view, places(this.#arm, q), new Float64Array(2 * this.#arm.n + 2));
  }

  #radii(): number[] {
    return linkRadii(this.#arm.n, this.#arm.reach[1] * this.#view.scale);
  }

  /** The number of the link under a pixel, n for the tip, −1 for nothing. */
  #partAt(spot: Place, kind: "mouse" | "touch"): number {
    return partAt(this.#pixels(this.#q), this.#radii(), this.#view.scale, spot, kind).part;
  }

  #down(event: PointerEvent): void {
    if (event.button !== 0 || this.#grip) return;
    const spot = this.#spot(event);
    const part = this.#partAt(spot, event.pointerType === "mouse" ? "mouse" : "touch");
    if (part < 0) return;
    this.#grip = { pointer: event.pointerId, held: this.#gripOf(part, spot) };
    this.canvas.classList.add("arm-canvas-held");
    // An event that a test or an assistive tool makes has no pointer to capture.
    try {
      this.canvas.setPointerCapture(event.pointerId);
    } catch {
      // It then ends where it leaves the canvas.
    }
    this.#hover(part);
  }

  #gripOf(part: number, spot: Place): Grip {
    const px = this.#pixels(this.#q);
    const { n } = this.#arm;
    if (part === n) return { kind: "tip", dx: at(px, 2 * n) - spot.x, dy: at(px, 2 * n + 1) - spot.y };
    return { kind: "joint", joint: part, angle: this.#angleAbout(part, spot), start: at(this.#q, part) };
  }

  #angleAbout(joint: number, spot: Place): number {
    const px = this.#pixels(this.#q);
    // Pixels count downwards, metres upwards.
    return Math.atan2(at(px, 2 * joint + 1) - spot.y, spot.x - at(px, 2 * joint));
  }

  #move(event: PointerEvent): void {
    const spot = this.#spot(event);
    if (!this.#grip) this.#hover(event.pointerType === "mouse" ? this.#partAt(spot, "mouse") : -1);
    if (this.#grip?.pointer !== event.pointerId) return;
    const { held } = this.#grip;
    if (held.kind === "tip") {
      const { x, y } = this.#plane({ x: spot.x + held.dx, y: spot.y + held.dy });
      this.#reach(x, y);
    } else {
      this.#pose(turned(this.#arm, this.#q, held.joint, held.start + this.#angleAbout(held.joint, spot) - held.angle));
    }
  }

  #up(event: PointerEvent): void {
    if (this.#grip?.pointer !== event.pointerId) return;
    this.#grip = null;
    this.canvas.classList.remove("arm-canvas-held");
    this.#status.hidden = true;
    this.#changed();
    this.#events.released();
  }

  #key(event: KeyboardEvent): void {
    const way = ARROWS[event.key];
    if (!way || event.ctrlKey || event.metaKey || event.altKey) return;
    // A notebook would go to the next cell.
    event.preventDefault();
    event.stopPropagation();
    const by = this.#arm.reach[1] * (event.shiftKey ? NUDGE.far : NUDGE.near);
    const [x, y] = tipOf(this.#arm, this.#q);
    this.#reach(x + by * way[0], y + by * way[1]);
    this.#events.released();
  }

  #reach(x: number, y: number): void {
    const { q, shortfall } = reachedFrom(this.#arm, this.#q, x, y);
    const unit = lengthUnit(this.#arm.reach[1]);
    // One link goes round a circle, which no pointer keeps to.
    this.#status.hidden = shortfall === 0 || this.#arm.n === 1;
    this.#status.textContent = `out of reach by ${number(shortfall * unit.factor, unit.digits)} ${unit.name}`;
    this.#pose(q);
  }

  #pose(q: readonly number[]): void {
    this.#q = q;
    this.#changed();
    this.#events.moved(q);
  }

  #hover(part: number): void {
    if (part === this.#hovered) return;
    this.#hovered = part;
    this.canvas.classList.toggle("widget-grabs", part >= 0);
    this.#changed();
  }

  #resize(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width === 0 || height === 0) return;
    this.#ratio = Math.min(devicePixelRatio || 1, FINEST);
    for (const canvas of [this.canvas, this.#backdrop]) {
      [canvas.width, canvas.height] = [Math.round(width * this.#ratio), Math.round(height * this.#ratio)];
    }
    const [x, y] = this.#arm.base;
    const reach = 1.04 * this.#arm.reach[1];
    this.#view.fit({ left: x - reach, right: x + reach, bottom: y - reach, top: y + reach }, width, height, Math.min(28, 0.06 * Math.min(width, height)));
    this.#stale = true;
    this.#draw();
  }

  #changed(): void {
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = null;
      this.#draw();
    });
  }

  #draw(): void {
    if (this.canvas.width === 0 || this.#view.width <= 1) return;
    const palette = readPalette(this.canvas);
    const context = this.#context;
    if (this.#stale) this.#paintBackdrop(palette);
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(this.#backdrop, 0, 0);
    context.setTransform(this.#ratio, 0, 0, this.#ratio, 0, 0);
    this.#drawArm({ context, view: this.#view, palette });
    this.#tell();
  }

  #paintBackdrop(palette: Pen["palette"]): void {
    const context = this.#backdrop.getContext("2d", { alpha: false });
    if (!context) return;
    context.setTransform(this.#ratio, 0, 0, this.#ratio, 0, 0);
    const backdrop = { arm: this.#arm, unit: lengthUnit(this.#arm.reach[1]), path: null, traces: [] };
    drawBackdrop({ context, view: this.#view, palette }, backdrop);
    this.#stale = false;
  }

  #drawArm(pen: Pen): void {
    const { context, palette } = pen;
    const arm = this.#arm;
    const radii = this.#radii();
    const px = this.#pixels(this.#q);
    drawMount(pen, at(px, 0), at(px, 1), at(radii, 0), arm.gravity);
    const other = otherBranch(arm, this.#q);
    if (other) drawShade(pen, this.#pixels(other), radii, palette.link, 0.14);
    drawArm(pen, px, radii, { tip: palette.accent, payload: arm.payload, faded: false });
    drawJointMarks(pen, arm, px, Float64Array.from(this.#q), null, [], radii);
    if (this.#hovered < 0) return;
    const k = this.#hovered;
    context.strokeStyle = palette.accent;
    context.lineWidth = 2;
    context.beginPath();
    context.arc(at(px, 2 * k), at(px, 2 * k + 1), at(radii, k) + 6, 0, 2 * Math.PI);
    context.stroke();
  }

  /** Say in words and numbers what was drawn. */
  #tell(): void {
    const arm = this.#arm;
    const unit = lengthUnit(arm.reach[1]);
    const [x, y] = tipOf(arm, this.#q);
    const angles = this.#q.map((angle) => `${number((angle * 180) / Math.PI, 1)}°`);
    const tip = `x ${number(x * unit.factor, unit.digits)} ${unit.name}, y ${number(y * unit.factor, unit.digits)} ${unit.name}`;
    this.#tip.textContent = tip;
    this.#angles.textContent = arm.n > MOST_ANGLES ? "" : angles.join("  ");
    const px = this.#pixels(this.#q);
    setAttribute(this.#root, "data-tip", `${x.toFixed(6)},${y.toFixed(6)}`);
    setAttribute(this.#root, "data-tip-pixel", `${at(px, 2 * arm.n).toFixed(3)},${at(px, 2 * arm.n + 1).toFixed(3)}`);
    if (!this.#grip) setAttribute(this.canvas, "aria-label", `${arm.name}: joint angles ${angles.join(", ")}; tip at ${tip}.`);
  }
}
