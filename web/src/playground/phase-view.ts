/**
 * The phase portrait of one joint as a card.
 *
 * Two canvases: field, separatrices and trajectories are painted when the arm, the torque or the size changes; the
 * moving point and its trail every frame, on the other. Equilibria are buttons between them, so that they have names.
 */

import { numberText } from "../chart-series";
import { el, icon, setAttribute } from "../dom";
import { at } from "../interpolate";
import { type Palette, readPalette } from "../palette";
import { pixelDigits, type PlaneView } from "../plane-view";
import type { Mechanism } from "./models";
import { type Equilibrium, intoTurn, isStable, type Portrait, portraitOf, trajectoryOf, TURN, wrapAngle } from "./phase";
import { drawMotion, drawPortrait, type PhaseScene, ROOM, type Trajectory, viewOf } from "./phase-draw";
import { equilibriumText, fateText, portraitLabel } from "./phase-text";

export interface PhaseViewOptions {
  /** Start the joint at an angle [rad] with a speed [rad/s]. */
  start(q: number, qd: number): void;
}

const MOST_TRAJECTORIES = 8;
/** States of the trail, one a frame. */
const TRAIL = 150;
/** A state farther than this from the last, in radians and shares of the picture, was set: the trail begins anew. */
const JUMP_ANGLE = 1;
const JUMP_SPEED = 0.3;
/** How far an arrow key moves the cursor, of a turn and of the speeds shown; a tenth of it with Shift. */
const CURSOR_STEP = 1 / 72;
const ZOOM_STEP = 1.5;
const ZOOM_LIMITS = [1 / 256, 16] as const;
/** Milliseconds between two read-outs of the moving point. */
const READ_EVERY = 100;
const HINT = "Click or tap to start there. Arrow keys move a cursor, Enter starts; + and − change the speeds shown.";

export class PhaseView {
  readonly #options: PhaseViewOptions;
  readonly #field = el("canvas", { class: "phase-layer phase-field", tabindex: "0", role: "application", "aria-label": "Phase portrait" });
  readonly #marks = el("div", { class: "phase-marks" });
  readonly #motion = el("canvas", { class: "phase-layer phase-motion", "aria-hidden": "true" });
  readonly #box = el("div", { class: "phase-box" }, this.#field, this.#marks, this.#motion);
  readonly #reading = el("span", { class: "phase-reading" });
  readonly #fate = el("p", { class: "phase-fate" });
  readonly #said = el("span", { class: "ulna-hidden", role: "status" });
  readonly #clear = el("button", { class: "phase-button phase-clear", type: "button", text: "Clear", title: "Remove the trajectories", on: { click: () => this.clear() } });
  readonly #key = el("p", { class: "phase-key" });
  readonly #element: HTMLElement;
  readonly #ends: (() => void)[] = [];
  readonly #trail: { q: number[]; qd: number[] } = { q: [], qd: [] };
  #starts: { number: number; q: number; qd: number }[] = [];
  #count = 0;
  #trajectories: Trajectory[] = [];
  #given: { mechanism: Mechanism; torque: number } | null = null;
  #portrait: Portrait | null = null;
  #view: PlaneView | null = null;
  #palette: Palette;
  #cursor: [number, number] | null = null;
  #pointed: [number, number] | null = null;
  #zoom = 1;
  #frame = 0;
  #motionFrame = 0;
  #stale = false;
  #readAt = 0;

  constructor(host: HTMLElement, options: PhaseViewOptions) {
    this.#options = options;
    this.#element = this.#makeFigure();
    host.append(this.#element);
    this.#palette = readPalette(this.#element);
    this.#listen();
  }

  /** Show the portrait of a joint under a torque [N·m]; drawn with the next frame. */
  show(mechanism: Mechanism, torque: number): void {
    this.#given = { mechanism, torque };
    this.#stale = true;
    this.#later();
  }

  /** Move the point to the state now. */
  update(q: number, qd: number): void {
    const { q: angles, qd: speeds } = this.#trail;
    const [last, lastSpeed] = [at(angles, angles.length - 1), at(speeds, speeds.length - 1)];
    if (q === last && qd === lastSpeed && this.#trail.q.length > 1) return;
    // counted on from the last angle, however many turns the caller counts
    const moved = wrapAngle(q - last);
    const jumped = Math.abs(moved) > JUMP_ANGLE || Math.abs(qd - lastSpeed) > JUMP_SPEED * (this.#portrait?.fastest ?? Infinity);
    if (jumped) this.#remember(Number.NaN, Number.NaN);
    this.#remember(Number.isFinite(last) && !jumped ? last + moved : q, qd);
    this.#drawMotion();
    if (performance.now() - this.#readAt > READ_EVERY) this.#read();
  }

  /** Forget trajectories and trail. */
  clear(): void {
    this.#starts = [];
    this.#trajectories = [];
    this.#trail.q.splice(0, this.#trail.q.length - 1);
    this.#trail.qd.splice(0, this.#trail.qd.length - 1);
    this.#clear.hidden = true;
    this.#later();
  }

  recolour(): void {
    this.#palette = readPalette(this.#element);
    this.#later();
  }

  destroy(): void {
    cancelAnimationFrame(this.#frame);
    cancelAnimationFrame(this.#motionFrame);
    for (const end of this.#ends) end();
    this.#element.remove();
  }

  #makeFigure(): HTMLElement {
    this.#clear.hidden = true;
    const zoom = (name: string, path: string, by: number): HTMLElement => {
      const button = el("button", { class: "phase-button", type: "button", "aria-label": name, title: name, on: { click: () => this.#zoomBy(by) } });
      button.append(icon(path));
      return button;
    };
    return el(
      "figure",
      { class: "phase", "aria-label": "Phase portrait" },
      el(
        "figcaption",
        { class: "phase-head" },
        el("span", { class: "phase-title", text: "Phase portrait" }),
        el("span", { class: "phase-unit", text: "q̇ [rad/s] over q" }),
        this.#reading,
        el(
          "span",
          { class: "phase-buttons" },
          this.#clear,
          zoom("Show faster speeds", "M6 12h12", 1 / ZOOM_STEP),
          zoom("Show slower speeds", "M6 12h12M12 6v12", ZOOM_STEP),
        ),
      ),
      this.#box,
      this.#fate,
      this.#key,
      this.#said,
    );
  }

  #listen(): void {
    const ending = new AbortController();
    const { signal } = ending;
    const canvas = this.#field;
    canvas.addEventListener("click", (event) => this.#clicked(event), { signal });
    canvas.addEventListener("pointermove", (event) => this.#point(event.pointerType === "touch" ? null : this.#under(event.offsetX, event.offsetY)), { signal });
    canvas.addEventListener("pointerleave", () => this.#point(null), { signal });
    canvas.addEventListener("keydown", (event) => this.#pressed(event), { signal });
    canvas.addEventListener("blur", () => this.#moveCursor(null), { signal });
    canvas.addEventListener("wheel", (event) => this.#wheel(event), { passive: false, signal });
    const sizes = new ResizeObserver(() => this.#later());
    sizes.observe(this.#box);
    this.#ends.push(
      () => ending.abort(),
      () => sizes.disconnect(),
    );
    if (document.fonts.status !== "loaded") document.fonts.ready.then(() => this.#later());
  }

  #later(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => this.#draw());
  }

  #draw(): void {
    const [width, height] = [this.#box.clientWidth, this.#box.clientHeight];
    if (!this.#given || width === 0 || height === 0) return;
    if (this.#stale) this.#compute(this.#given.mechanism, this.#given.torque);
    const portrait = this.#portrait as Portrait;
    this.#view = viewOf(portrait, width, height);
    const context = fitted(this.#field, width, height);
    fitted(this.#motion, width, height);
    if (context) drawPortrait(context, this.#scene() as PhaseScene, width, height);
    this.#placeMarks(portrait);
    this.#paintMotion();
    this.#read();
  }

  #compute(mechanism: Mechanism, torque: number): void {
    this.#stale = false;
    const portrait = portraitOf(mechanism, torque, this.#zoom);
    this.#portrait = portrait;
    this.#trajectories = this.#starts.map(({ number, q, qd }) => ({ number, orbit: trajectoryOf(portrait, q, qd) }));
    const fate = fateText(portrait);
    if (this.#fate.textContent !== fate) this.#fate.textContent = fate;
    setAttribute(this.#field, "aria-label", `${portraitLabel(portrait)} ${HINT}`);
    this.#showKey(portrait);
  }

  /** Only what is in the picture has an entry. */
  #showKey({ separatrices, running, equilibria, restsAnywhere, fastest }: Portrait): void {
    const entries: [string, string, boolean][] = [
      ["stable", "stable", restsAnywhere || equilibria.some(isStable)],
      ["saddle", "saddle", equilibria.some((one) => one.kind === "saddle")],
      ["separatrix", "separatrix", separatrices.length > 0],
      ["running", running && running.fastest > fastest ? "running solution, faster than shown" : "running solution", running !== null],
    ];
    const shown = entries.filter(([, , there]) => there).map(([look, text]) => `${look} ${text}`).join("\n");
    if (this.#key.dataset["shown"] === shown) return;
    this.#key.dataset["shown"] = shown;
    this.#key.replaceChildren(
      ...entries.filter(([, , there]) => there).map(([look, text]) => el("span", { class: "phase-entry" }, el("span", { class: `phase-swatch phase-${look}` }), text)),
      el("span", { class: "phase-entry", text: "click to start" }),
    );
  }

  #scene(): PhaseScene | null {
    if (!this.#portrait || !this.#view) return null;
    return { portrait: this.#portrait, trajectories: this.#trajectories, view: this.#view, palette: this.#palette };
  }

  /** Frames may come more often than the screen shows them. */
  #drawMotion(): void {
    if (this.#motionFrame) return;
    this.#motionFrame = requestAnimationFrame(() => this.#paintMotion());
  }

  #paintMotion(): void {
    this.#motionFrame = 0;
    const [scene, context] = [this.#scene(), this.#motion.getContext("2d")];
    if (!scene || !context) return;
    drawMotion(context, scene, { ...this.#trail, cursor: this.#cursor }, this.#box.clientWidth, this.#box.clientHeight);
  }

  #remember(q: number, qd: number): void {
    for (const [list, value] of [[this.#trail.q, q], [this.#trail.qd, qd]] as const) {
      list.push(value);
      if (list.length > TRAIL) list.shift();
    }
  }

  /** One button an equilibrium, two where it lies on the seam. */
  #placeMarks({ equilibria, left }: Portrait): void {
    const view = this.#view as PlaneView;
    const places = equilibria.flatMap((one) => {
      const x = view.px(intoTurn(one.angle, left));
      if (x > 1 && x < view.width - 1) return [{ one, x }];
      return [{ one, x: 0 }, { one, x: view.width }];
    });
    while (this.#marks.children.length > places.length) this.#marks.lastElementChild?.remove();
    while (this.#marks.children.length < places.length) this.#marks.append(this.#makeMark());
    places.forEach(({ one, x }, i) => this.#placeMark(this.#marks.children[i] as HTMLElement, one, x, view));
  }

  #makeMark(): HTMLElement {
    const start = (): void => this.#start(Number(mark.dataset["angle"]), 0);
    const mark: HTMLButtonElement = el("button", { class: "phase-mark", type: "button", on: { click: start } }, el("span", { class: "phase-name" }));
    return mark;
  }

  #placeMark(mark: HTMLElement, one: Equilibrium, x: number, view: PlaneView): void {
    const text = equilibriumText(one);
    mark.dataset["angle"] = String(one.angle);
    setAttribute(mark, "data-kind", isStable(one) ? "stable" : "saddle");
    setAttribute(mark, "data-side", x < view.width / 4 ? "left" : x > (3 * view.width) / 4 ? "right" : "middle");
    setAttribute(mark, "aria-label", `${text}: start there`);
    if (mark.firstElementChild && mark.firstElementChild.textContent !== text) mark.firstElementChild.textContent = text;
    mark.style.setProperty("--x", `${(ROOM.left + x).toFixed(2)}px`);
    mark.style.setProperty("--y", `${(ROOM.top + view.py(0)).toFixed(2)}px`);
  }

  /** The state under a pixel of the box; null beside the plot. */
  #under(px: number, py: number): [number, number] | null {
    const view = this.#view;
    if (!view) return null;
    const [x, y] = [px - ROOM.left, py - ROOM.top];
    return x < 0 || y < 0 || x > view.width || y > view.height ? null : view.under(x, y);
  }

  #clicked(event: MouseEvent): void {
    const state = this.#under(event.offsetX, event.offsetY);
    if (state) this.#start(...state);
  }

  #start(q: number, qd: number): void {
    const portrait = this.#portrait;
    if (!portrait) return;
    const angle = wrapAngle(q);
    const number = this.#count++;
    this.#starts = [...this.#starts, { number, q: angle, qd }].slice(-MOST_TRAJECTORIES);
    this.#trajectories = [...this.#trajectories, { number, orbit: trajectoryOf(portrait, angle, qd) }].slice(-MOST_TRAJECTORIES);
    this.#clear.hidden = false;
    this.#later();
    this.#options.start(angle, qd);
  }

  #point(state: [number, number] | null): void {
    this.#pointed = state;
    this.#read();
  }

  #wheel(event: WheelEvent): void {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    this.#zoomBy(Math.exp(-event.deltaY * (event.deltaMode === 0 ? 0.004 : 0.08)));
  }

  #zoomBy(by: number): void {
    this.#zoom = Math.min(ZOOM_LIMITS[1], Math.max(ZOOM_LIMITS[0], this.#zoom * by));
    this.#stale = true;
    this.#later();
  }

  #pressed(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.#portrait) return;
    const { left, fastest } = this.#portrait;
    const step = event.shiftKey ? CURSOR_STEP / 10 : CURSOR_STEP;
    const [q, qd] = this.#cursor ?? [left + TURN / 2, 0];
    const move = (dq: number, dqd: number): void =>
      this.#moveCursor([intoTurn(q + dq * step * TURN, left), Math.min(fastest, Math.max(-fastest, qd + 2 * dqd * step * fastest))]);
    const keys: Record<string, () => void> = {
      ArrowLeft: () => move(-1, 0),
      ArrowRight: () => move(1, 0),
      ArrowUp: () => move(0, 1),
      ArrowDown: () => move(0, -1),
      Enter: () => (this.#cursor ? this.#start(q, qd) : move(0, 0)),
      "+": () => this.#zoomBy(ZOOM_STEP),
      "=": () => this.#zoomBy(ZOOM_STEP),
      "-": () => this.#zoomBy(1 / ZOOM_STEP),
      "0": () => this.#zoomBy(1 / this.#zoom),
    };
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }

  #moveCursor(state: [number, number] | null): void {
    this.#cursor = state;
    this.#drawMotion();
    this.#read();
    this.#said.textContent = state ? this.#stateText(...state).join(", ") : "";
  }

  #stateText(q: number, qd: number): [string, string] {
    const [perX, perY] = this.#view?.perPixel() ?? [0.01, 0.01];
    const degrees = (wrapAngle(q) * 180) / Math.PI;
    return [`${numberText(degrees, pixelDigits((perX * 180) / Math.PI))}°`, `${numberText(qd, pixelDigits(perY))} rad/s`];
  }

  /** Say in the header, where it hides nothing, what the cursor or the pointer is at, else where the joint is. */
  #read(): void {
    this.#readAt = performance.now();
    const { q, qd } = this.#trail;
    const shown = this.#pointed ?? this.#cursor;
    const state = shown ?? [at(q, q.length - 1), at(qd, qd.length - 1)];
    if (!Number.isFinite(state[0])) return this.#reading.replaceChildren();
    this.#reading.classList.toggle("phase-reading-now", shown === null);
    const [angle, speed] = this.#stateText(...(state as [number, number]));
    if (this.#reading.childElementCount === 0) this.#reading.append(el("span", { class: "phase-number" }), el("span", { class: "phase-number" }));
    for (const [i, text] of [`q ${angle}`, `q̇ ${speed}`].entries()) {
      const part = this.#reading.children[i] as HTMLElement;
      if (part.textContent !== text) part.textContent = text;
    }
  }
}

/** The context of a canvas of this size, as fine as the screen but no finer than a processor draws at once. */
function fitted(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D | null {
  const ratio = Math.min(devicePixelRatio || 1, 2);
  const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== across) canvas.width = across;
  if (canvas.height !== down) canvas.height = down;
  const context = canvas.getContext("2d");
  context?.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}
