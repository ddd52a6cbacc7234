/**
 * The arm on a canvas, moved by a clock.
 *
 * Two layers: what only zooming, resizing and themes change is painted once onto a canvas of its own and
 * copied; the poses of this moment are painted over it. Nothing is painted while nothing changes.
 */

import { type Backdrop, drawBackdrop, drawFadingTrace, fadeTime } from "./arm-backdrop";
import { drawArm, drawJointMarks, drawMount, drawShade, drawSkeleton, drawTarget, type Pen, toPixels } from "./arm-draw";
import { allowTouch, bindGestures } from "./arm-gestures";
import { ArmHeader, describePose } from "./arm-header";
import type { Clock } from "./clock";
import { isForeign } from "./compare";
import { type Column, DocumentError, type Loaded, type Motion, type Path } from "./document";
import { el, icon, WHOLE_VIEW } from "./dom";
import { type Bounds, lengthUnit, type LengthUnit, linkRadii, Viewport } from "./geometry";
import { at } from "./interpolate";
import { liftedAt, MotionTrack, type Trace, usedBounds } from "./motion-track";
import { motionColour, type Palette, readPalette } from "./palette";

export interface ArmViewOptions {
  /** Whether the wheel zooms by itself or only with Ctrl held. */
  wheel?: "always" | "ctrl";
  /** Whether poses shortly before are shown. */
  ghosts?: boolean;
}

/** A motion on this canvas, with what is computed of it once. */
interface Moving {
  track: MotionTrack;
  colour: number;
  trace: Trace | null;
  fade: number;
}

const GHOSTS = 5;
/** Beyond so many motions on a canvas the others are lines without traces of their own. */
const MOST_SHADES = 8;
/** Frames further apart than this [ms], many times, are slow: fewer pixels help. */
const SLOW_FRAME = 22;

export class ArmView {
  readonly canvas: HTMLCanvasElement;
  readonly #host: HTMLElement;
  readonly #loaded: Loaded;
  readonly #clock: Clock;
  readonly #root: HTMLElement;
  readonly #box: HTMLElement;
  readonly #header: ArmHeader;
  readonly #resetButton: HTMLButtonElement;
  readonly #context: CanvasRenderingContext2D;
  readonly #backdrop = document.createElement("canvas");
  readonly #view = new Viewport();
  readonly #unit: LengthUnit;
  readonly #moving: Moving[];
  readonly #target: MotionTrack | null;
  readonly #bounds: Bounds;
  readonly #ends: (() => void)[] = [];
  readonly #tau: Float64Array;
  #q: Float64Array;
  #pose: Float64Array;
  #px: Float64Array;
  #palette: Palette;
  #ghosts: boolean;
  #ratio = 1;
  #ratioCap = 2;
  #slow = 0;
  #lastFrame = 0;
  /** Scale that the traces were computed for. */
  #traceScale = 0;
  #staleBackdrop = true;
  #drawnTime = Number.NaN;
  #frame: number | null = null;

  constructor(host: HTMLElement, loaded: Loaded, labels: string[], clock: Clock, options: ArmViewOptions = {}) {
    const { arm, motions } = loaded.header;
    this.#host = host;
    this.#loaded = loaded;
    this.#clock = clock;
    this.#ghosts = options.ghosts ?? true;
    this.#unit = lengthUnit(arm.reach[1]);
    this.#moving = labels.map((label) => moving(loaded, motionOf(motions, label)));
    const plan = motions.find((motion) => motion.role === "plan" && motion.label !== labels[0]);
    this.#target = plan ? new MotionTrack(loaded, plan) : null;
    this.#bounds = usedBounds(loaded);
    this.#q = new Float64Array(arm.n);
    this.#tau = new Float64Array(arm.n);
    this.#pose = new Float64Array(2 * arm.n + 2);
    this.#px = new Float64Array(2 * arm.n + 2);

    const name = [arm.name, ...labels.slice(0, 1)].join(", ");
    this.canvas = el("canvas", { class: "arm-canvas", role: "img", "aria-label": name });
    this.#resetButton = zoomButton("Reset view", WHOLE_VIEW, () => this.resetView());
    this.#resetButton.hidden = true;
    const zooming = el(
      "div",
      { class: "arm-zoom" },
      this.#resetButton,
      zoomButton("Zoom out", "M6 12h12", () => this.#zoomBy(1 / 1.4)),
      zoomButton("Zoom in", "M6 12h12M12 6v12", () => this.#zoomBy(1.4)),
    );
    this.#box = el("div", { class: "arm-box" }, this.canvas, zooming);
    this.#header = new ArmHeader(this.#moving.map(({ track, colour }) => ({ motion: track.motion, colour })), this.#unit, Boolean(loaded.header.travel));
    this.#root = el("div", { class: "arm-view" }, this.#header.element, this.#box);
    host.append(this.#root);
    this.#palette = readPalette(host);
    this.#context = this.canvas.getContext("2d", { alpha: false }) as CanvasRenderingContext2D;
    this.#listen(options);
    this.resize();
  }

  /** Whether poses shortly before are shown. */
  get ghosts(): boolean {
    return this.#ghosts;
  }

  set ghosts(shown: boolean) {
    this.#ghosts = shown;
    this.#changed();
  }

  /** Fit the canvas to its box. */
  resize(): void {
    const width = this.#box.clientWidth;
    const height = this.#box.clientHeight;
    if (width === 0 || height === 0) return;
    this.#ratio = Math.min(window.devicePixelRatio || 1, this.#ratioCap);
    for (const canvas of [this.canvas, this.#backdrop]) {
      canvas.width = Math.round(width * this.#ratio);
      canvas.height = Math.round(height * this.#ratio);
    }
    this.#view.fit(this.#bounds, width, height, Math.min(30, 0.08 * Math.min(width, height)));
    this.#staleBackdrop = true;
    this.#draw();
  }

  /** Read colours again, after a change of theme. */
  recolour(): void {
    this.#palette = readPalette(this.#host);
    this.#staleBackdrop = true;
    // At once: a printer does not wait for the next frame.
    this.#draw();
  }

  /** Show all of the workspace again. */
  resetView(): void {
    this.#view.reset();
    this.#viewChanged();
  }

  destroy(): void {
    for (const end of this.#ends) end();
    if (this.#frame !== null) cancelAnimationFrame(this.#frame);
    this.#root.remove();
  }

  #listen(options: ArmViewOptions): void {
    // a playing clock tells within an animation frame: paint at once; else once in the next one
    this.#ends.push(this.#clock.subscribe(() => (this.#clock.playing ? this.#tick() : this.#changed())));
    this.#ends.push(bindGestures(this.canvas, this.#view, { wheel: options.wheel ?? "always", changed: () => this.#viewChanged() }));
    const observer = new ResizeObserver(() => this.resize());
    observer.observe(this.#box);
    this.#ends.push(() => observer.disconnect());
    // a canvas keeps the font it was painted with: paint again once the page's own has arrived
    const repaint = (): void => this.recolour();
    document.fonts?.addEventListener("loadingdone", repaint);
    this.#ends.push(() => document.fonts?.removeEventListener("loadingdone", repaint));
  }

  #zoomBy(factor: number): void {
    this.#view.zoomAt(factor, this.#view.width / 2, this.#view.height / 2);
    this.#viewChanged();
  }

  #viewChanged(): void {
    if (!this.#view.moved && document.activeElement === this.#resetButton) this.#box.querySelector<HTMLElement>("button:last-of-type")?.focus();
    this.#resetButton.hidden = !this.#view.moved;
    allowTouch(this.canvas, this.#view);
    this.#staleBackdrop = true;
    this.#changed();
  }

  #changed(): void {
    this.#drawnTime = Number.NaN;
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = null;
      this.#draw();
    });
  }

  #tick(): void {
    if (this.#clock.time === this.#drawnTime) return;
    this.#watchFrames();
    this.#draw();
  }

  /** A machine that cannot keep up at this many pixels gets fewer. */
  #watchFrames(): void {
    const now = performance.now();
    const apart = now - this.#lastFrame;
    this.#lastFrame = now;
    if (this.#ratio <= 1.5 || apart > 500) return;
    this.#slow = Math.max(0, this.#slow + (apart > SLOW_FRAME ? 1 : -0.5));
    if (this.#slow < 20) return;
    this.#ratioCap = 1.5;
    this.resize();
  }

  /** Traces fine enough for the present scale: no chord half a pixel off its curve. */
  #refineTraces(): void {
    const scale = this.#view.scale * this.#ratio;
    if (scale <= this.#traceScale) return;
    // one and a half times finer than needed, so that zooming does not compute them at every step
    this.#traceScale = 1.5 * scale;
    const { travel } = this.#loaded.header;
    const few = this.#moving.length <= MOST_SHADES;
    this.#moving.forEach((each, i) => {
      if (!few && i > 0) return;
      each.trace = each.track.trace(0.5 / this.#traceScale);
      if (travel && !isForeign(each.track.motion)) each.trace.lifted = liftedAt(each.trace.t, travel.lifted);
      each.fade = fadeTime(each.trace, each.track.arm.reach[1] || 1);
    });
  }

  #paintBackdrop(): void {
    this.#refineTraces();
    const context = this.#backdrop.getContext("2d", { alpha: false });
    if (!context) return;
    context.setTransform(this.#ratio, 0, 0, this.#ratio, 0, 0);
    const { arm, path, travel } = this.#loaded.header;
    const points = (one: Path): { x: Column; y: Column } => ({ x: this.#loaded.column(one.x), y: this.#loaded.column(one.y) });
    const backdrop: Backdrop = {
      arm,
      unit: this.#unit,
      path: path && points(path),
      travel: travel && points(travel),
      traces: this.#moving.flatMap(({ trace, colour }) => (trace ? [{ trace, colour: this.#dataColour(colour) }] : [])),
    };
    drawBackdrop({ context, view: this.#view, palette: this.#palette }, backdrop);
    this.#staleBackdrop = false;
  }

  #dataColour(index: number): string {
    return this.#palette.data[index] ?? this.#palette.accent;
  }

  #draw(): void {
    const first = this.#moving[0];
    if (this.canvas.width === 0 || this.#view.width <= 1) return;
    if (this.#staleBackdrop) this.#paintBackdrop();
    const time = this.#clock.time;
    const context = this.#context;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(this.#backdrop, 0, 0);
    context.setTransform(this.#ratio, 0, 0, this.#ratio, 0, 0);
    if (first) this.#drawMotions({ context, view: this.#view, palette: this.#palette }, first, time);
    this.#drawnTime = time;
  }

  #drawMotions(pen: Pen, first: Moving, time: number): void {
    const { arm } = this.#loaded.header;
    const radii = linkRadii(arm.n, arm.reach[1] * this.#view.scale);
    drawMount(pen, this.#view.x(arm.base[0]), this.#view.y(arm.base[1]), at(radii, 0), arm.gravity);
    if (this.#ghosts) this.#drawGhosts(pen, first, radii, time);
    this.#drawOthers(pen, time);
    this.#drawFirst(pen, first, radii, time);
    this.#tell(first, time);
  }

  #drawGhosts(pen: Pen, first: Moving, radii: number[], time: number): void {
    const apart = Math.min(first.fade / (2 * GHOSTS), 0.3);
    for (let i = GHOSTS; i >= 1; i--) {
      const then = time - i * apart;
      if (then < first.track.start) continue;
      this.#place(first.track, then);
      drawShade(pen, this.#px, radii, this.#palette.link, 0.16 * (1 - i / (GHOSTS + 1)));
    }
  }

  #drawOthers(pen: Pen, time: number): void {
    const shades = this.#moving.length <= MOST_SHADES;
    for (const other of this.#moving.slice(1)) {
      const colour = this.#dataColour(other.colour);
      this.#place(other.track, time);
      if (!shades) {
        drawSkeleton(pen, this.#px, colour, 0.35);
        continue;
      }
      const { arm } = other.track;
      drawShade(pen, this.#px, linkRadii(arm.n, arm.reach[1] * this.#view.scale), colour, 0.34);
      this.#drawTrace(pen, other, time);
    }
  }

  #drawFirst(pen: Pen, first: Moving, radii: number[], time: number): void {
    const { arm } = this.#loaded.header;
    this.#place(first.track, time);
    this.#drawTrace(pen, first, time);
    const hasTorques = first.track.torques(time, this.#tau);
    const tip = this.#dataColour(first.colour);
    drawArm(pen, this.#px, radii, { tip, payload: arm.payload, faded: hasEnded(first.track.motion, time, this.#clock.end) });
    drawJointMarks(pen, arm, this.#px, this.#q, hasTorques ? this.#tau : null, first.track.peaks, radii);
    if (!this.#target) return;
    const [x, y] = [at(this.#px, 2 * arm.n), at(this.#px, 2 * arm.n + 1)];
    this.#place(this.#target, time);
    drawTarget(pen, at(this.#px, 2 * arm.n), at(this.#px, 2 * arm.n + 1), x, y);
  }

  #drawTrace(pen: Pen, each: Moving, time: number): void {
    if (!each.trace) return;
    const [x, y] = [at(this.#px, this.#px.length - 2), at(this.#px, this.#px.length - 1)];
    drawFadingTrace(pen, each.trace, Math.min(time, each.track.end), each.fade, this.#dataColour(each.colour), x, y);
  }

  /** Angles, positions and pixels of a motion at a time, into this view's scratch arrays. */
  #place(track: MotionTrack, time: number): void {
    const { n } = track.arm;
    if (this.#q.length !== n) {
      this.#q = new Float64Array(n);
      this.#pose = new Float64Array(2 * n + 2);
      this.#px = new Float64Array(2 * n + 2);
    }
    track.pose(time, this.#q, this.#pose);
    toPixels(this.#view, this.#pose, this.#px);
  }

  /** Say in words and numbers what was drawn. */
  #tell(first: Moving, time: number): void {
    this.#place(first.track, time);
    const { arm } = this.#loaded.header;
    const [x, y] = [at(this.#pose, 2 * arm.n), at(this.#pose, 2 * arm.n + 1)];
    this.#host.dataset.tip = `${x.toFixed(6)},${y.toFixed(6)}`;
    this.#host.dataset.tipPixel = `${at(this.#px, 2 * arm.n).toFixed(3)},${at(this.#px, 2 * arm.n + 1).toFixed(3)}`;
    const pen = this.#penAt(first, time);
    this.#header.update(x, y, hasEnded(first.track.motion, time, this.#clock.end), pen);
    if (this.#clock.playing) return;
    this.canvas.setAttribute("aria-label", describePose(arm, first.track.motion, this.#unit, time, this.#q, x, y, pen));
  }

  /** Whether the pen is up or down, in words; none without a pen. */
  #penAt(first: Moving, time: number): string {
    const { travel } = this.#loaded.header;
    if (!travel || isForeign(first.track.motion)) return "";
    return liftedAt([time], travel.lifted)[0] ? "pen up" : "pen down";
  }
}

function zoomButton(name: string, path: string, press: () => void): HTMLButtonElement {
  return el("button", { type: "button", class: "arm-zoom-button", "aria-label": name, title: name, on: { click: press } }, icon(path));
}

function moving(loaded: Loaded, motion: Motion): Moving {
  return { track: new MotionTrack(loaded, motion), colour: motionColour(loaded.header, motion.label), trace: null, fade: 1 };
}

function motionOf(motions: readonly Motion[], label: string): Motion {
  const found = motions.find((motion) => motion.label === label);
  if (!found) throw new DocumentError(`The report has no motion “${label}”.`);
  return found;
}

/** Whether a motion ended before this time and before the others did. */
function hasEnded(motion: Motion, time: number, end: number): boolean {
  return time > motion.ended && motion.ended < end;
}
