/**
 * The arm that is played with, on a canvas: what lies behind it is painted once and copied, the moment is painted over it.
 *
 * The tip and whatever a person may move are orange; a companion is blue.
 */

import { drawArm, drawJointMarks, drawMount, drawShade, drawTarget, type Pen, toPixels } from "../arm-draw";
import { drawBackdrop } from "../arm-backdrop";
import type { Arm } from "../document";
import { type Bounds, lengthUnit, linkRadii, Viewport } from "../geometry";
import { at } from "../interpolate";
import { type Palette, readPalette } from "../palette";
import type { Vector } from "./models";
import { drawnArm } from "./numbers";
import type { Session } from "./session";
import type { Point, Trajectory } from "./trajectory";
import { Trace } from "./trace";

/** A device pixel ratio beyond which nobody sees more, and slow machines stumble. */
const FINEST = 2;
/** How far apart the places of a trace are, in shares of the reach. */
const TRACE_STEP = 0.006;

/** What a pointer is doing, for the picture. */
export interface Handling {
  /** Other postures for the same tip. */
  ghosts: readonly Vector[];
  /** Where a pointer pulls from and to [m]. */
  pull: { from: Point; to: Point } | null;
  /** The stroke that is being drawn [m]. */
  stroke: readonly Point[];
  /** Whether the arm is held. */
  held: boolean;
  /** The point that the tip is dragged to is out of reach by so much [m]. */
  shortfall: number;
  /** What lies under the pointer: −1 nothing, n the tip, else a link. */
  hovered: number;
}

export class ArmCanvas {
  readonly canvas: HTMLCanvasElement;
  readonly view = new Viewport();
  readonly handling: Handling = { ghosts: [], pull: null, stroke: [], held: false, shortfall: 0, hovered: -1 };
  readonly #session: Session;
  readonly #context: CanvasRenderingContext2D;
  readonly #backdrop = document.createElement("canvas");
  readonly #trace = new Trace();
  readonly #companionTrace = new Trace();
  #palette: Palette;
  #arm: Arm;
  #peaks: number[];
  #px: Float64Array;
  #ratio = 1;
  #stale = true;
  showTrace = true;

  constructor(canvas: HTMLCanvasElement, session: Session) {
    this.canvas = canvas;
    this.#session = session;
    this.#context = canvas.getContext("2d", { alpha: false }) as CanvasRenderingContext2D;
    this.#palette = readPalette(canvas);
    this.#arm = drawnArm(session.arm);
    this.#peaks = this.#arm.lengths.map(() => 0);
    this.#px = new Float64Array(2 * this.#arm.n + 2);
    session.observe = (simulation) => {
      const { model, letters } = simulation.mechanism;
      const [x, y] = model.tip(letters, simulation.q) as [number, number];
      const step = TRACE_STEP * this.#arm.reach[1];
      this.#trace.push(x, y, step);
      if (!simulation.companion) return;
      const [cx, cy] = model.tip(letters, simulation.companion.q) as [number, number];
      this.#companionTrace.push(cx, cy, step);
    };
  }

  /** Take the arm's numbers again, after they changed; another number of joints begins afresh. */
  rearm(afresh: boolean): void {
    this.#arm = drawnArm(this.#session.arm);
    if (afresh) {
      this.clearTrace();
      this.#peaks = this.#arm.lengths.map(() => 0);
      this.#px = new Float64Array(2 * this.#arm.n + 2);
    }
    this.resize();
  }

  clearTrace(): void {
    this.#trace.clear();
    this.#companionTrace.clear();
  }

  recolour(): void {
    this.#palette = readPalette(this.canvas);
    this.#stale = true;
  }

  /** Fit the canvas to its box, and the workspace into the canvas. */
  resize(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width === 0 || height === 0) return;
    this.#ratio = Math.min(window.devicePixelRatio || 1, FINEST);
    for (const canvas of [this.canvas, this.#backdrop]) {
      const [w, h] = [Math.round(width * this.#ratio), Math.round(height * this.#ratio)];
      if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
    }
    this.view.fit(this.#bounds(), width, height, Math.min(36, 0.07 * Math.min(width, height)));
    this.#stale = true;
  }

  /** The part of the plane that is seen changed. */
  viewChanged(): void {
    this.#stale = true;
  }

  /** Pixels of base, joints and tip of a posture. */
  pixels(q: Vector, out: Float64Array = new Float64Array(this.#px.length)): Float64Array {
    const { model, letters } = this.#session.mechanism;
    return toPixels(this.view, model.joints(letters, q).flat(), out);
  }

  /** Radii of the drawn arm [px]. */
  radii(): number[] {
    return linkRadii(this.#arm.n, this.#arm.reach[1] * this.view.scale);
  }

  draw(): void {
    if (this.canvas.width === 0 || this.view.width <= 1) return;
    if (this.#stale) this.#paintBackdrop();
    const context = this.#context;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(this.#backdrop, 0, 0);
    context.setTransform(this.#ratio, 0, 0, this.#ratio, 0, 0);
    this.#drawMoment({ context, view: this.view, palette: this.#palette });
  }

  #bounds(): Bounds {
    const reach = this.#arm.reach[1] * 1.04;
    return { left: -reach, right: reach, bottom: -reach, top: reach };
  }

  #paintBackdrop(): void {
    const context = this.#backdrop.getContext("2d", { alpha: false });
    if (!context) return;
    context.setTransform(this.#ratio, 0, 0, this.#ratio, 0, 0);
    const unit = lengthUnit(this.#arm.reach[1]);
    drawBackdrop({ context, view: this.view, palette: this.#palette }, { arm: this.#arm, unit, path: null, traces: [] });
    this.#stale = false;
  }

  #drawMoment(pen: Pen): void {
    const { simulation } = this.#session;
    const { palette } = this;
    const radii = this.radii();
    drawMount(pen, this.view.x(0), this.view.y(0), at(radii, 0), this.#arm.gravity);
    if (this.#session.trajectory) drawTrajectory(pen, this.#session.trajectory);
    if (this.handling.stroke.length > 1) drawStroke(pen, this.handling.stroke, palette.accent);
    this.#drawOthers(pen, radii);
    if (this.showTrace) this.#trace.draw(pen, palette.data[0] as string);
    this.pixels(simulation.q, this.#px);
    drawArm(pen, this.#px, radii, { tip: palette.accent, payload: this.#arm.payload, faded: simulation.diverged });
    simulation.tau.forEach((torque, i) => (this.#peaks[i] = Math.max(at(this.#peaks, i), Math.abs(torque))));
    drawJointMarks(pen, this.#arm, this.#px, Float64Array.from(simulation.q), Float64Array.from(simulation.tau), this.#peaks, radii);
    this.#drawHandling(pen, radii);
  }

  get palette(): Palette {
    return this.#palette;
  }

  #drawOthers(pen: Pen, radii: number[]): void {
    const { simulation } = this.#session;
    const { palette } = this;
    for (const ghost of this.handling.ghosts) drawShade(pen, this.pixels(ghost), radii, palette.link, 0.14);
    if (simulation.companion) {
      if (this.showTrace) this.#companionTrace.draw(pen, palette.data[1] as string);
      drawShade(pen, this.pixels(simulation.companion.q), radii, palette.data[1] as string, 0.5);
    }
    if (this.#session.controlled) drawShade(pen, this.pixels([...simulation.reference().q]), radii, palette.accent, 0.2);
  }

  #drawHandling(pen: Pen, radii: readonly number[]): void {
    const { handling } = this;
    const { simulation } = this.#session;
    const n = this.#arm.n;
    if (this.#session.controlled && !handling.pull) {
      const wanted = this.pixels([...simulation.reference().q]);
      drawTarget(pen, at(wanted, 2 * n), at(wanted, 2 * n + 1), at(this.#px, 2 * n), at(this.#px, 2 * n + 1));
    }
    if (handling.pull) drawPull(pen, handling.pull.from, handling.pull.to);
    if (handling.hovered < 0) return;
    const { context, palette } = pen;
    const k = Math.min(handling.hovered, n);
    context.strokeStyle = palette.accent;
    context.lineWidth = 2;
    context.beginPath();
    context.arc(at(this.#px, 2 * k), at(this.#px, 2 * k + 1), at(radii, k) + 6, 0, 2 * Math.PI);
    context.stroke();
  }
}

/** A line from the point that is held to the pointer. */
function drawPull({ context, view, palette }: Pen, from: Point, to: Point): void {
  context.strokeStyle = palette.accent;
  context.lineWidth = 2;
  context.setLineDash([5, 4]);
  context.beginPath();
  context.moveTo(view.x(from.x), view.y(from.y));
  context.lineTo(view.x(to.x), view.y(to.y));
  context.stroke();
  context.setLineDash([]);
  context.fillStyle = palette.accent;
  context.beginPath();
  context.arc(view.x(to.x), view.y(to.y), 5, 0, 2 * Math.PI);
  context.fill();
}

function drawStroke({ context, view }: Pen, points: readonly Point[], colour: string): void {
  context.strokeStyle = colour;
  context.lineWidth = 2.5;
  context.lineCap = context.lineJoin = "round";
  context.beginPath();
  points.forEach((point, i) => (i === 0 ? context.moveTo(view.x(point.x), view.y(point.y)) : context.lineTo(view.x(point.x), view.y(point.y))));
  context.stroke();
}

/** The path, its parts out of reach in red. */
function drawTrajectory(pen: Pen, { drawn }: Trajectory): void {
  const { context, view, palette } = pen;
  context.lineWidth = 1.75;
  context.lineCap = context.lineJoin = "round";
  for (const outside of [false, true]) {
    context.strokeStyle = outside ? palette.bad : palette.muted;
    context.setLineDash(outside ? [2, 5] : []);
    context.beginPath();
    for (let i = 0; i + 1 < drawn.length; i++) {
      const [from, to] = [drawn[i] as Point & { shortfall: number }, drawn[i + 1] as Point & { shortfall: number }];
      if ((Math.max(from.shortfall, to.shortfall) > 0) !== outside) continue;
      context.moveTo(view.x(from.x), view.y(from.y));
      context.lineTo(view.x(to.x), view.y(to.y));
    }
    context.stroke();
  }
  context.setLineDash([]);
}
