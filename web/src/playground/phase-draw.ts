/** How a phase portrait is drawn: the field and its curves on one canvas, what moves on another; in CSS pixels. */

import { tickTexts } from "../chart-series";
import { multiples, niceStep } from "../geometry";
import { at } from "../interpolate";
import type { Palette } from "../palette";
import { arrowsOn, type PlaneLine, PlaneView } from "../plane-view";
import { fieldOf, intoTurn, type Orbit, type Portrait, TURN, unrolled, wrapAngle } from "./phase";

/** Room around the plot for numbers and for marks at its edges. */
export const ROOM = { left: 44, right: 14, top: 10, bottom: 24 };
/** Pixels from stroke to stroke of the field, and how long a stroke is. */
const FIELD_SPACE = 46;
const STROKE = [6, 15] as const;
/** Strokes of like speed are one path; opacity of each such class. */
const CLASSES = [0.32, 0.48, 0.66] as const;
/** Data colours of trajectories; separatrices and the running solution have others. */
const TRAJECTORY_COLOURS = [2, 5, 4] as const;
const SEPARATRIX_COLOUR = 1;
const RUNNING_COLOUR = 3;
const THIN = 1.5;
/** So many of the last trajectories have heads; those of more would be a crowd. */
const HEADED = 3;
/** A trail fades in so many steps. */
const FADES = 14;

export interface Trajectory {
  /** Which it is of all that were started: its colour stays while older ones go. */
  readonly number: number;
  readonly orbit: Orbit;
}

export interface PhaseScene {
  readonly portrait: Portrait;
  readonly trajectories: readonly Trajectory[];
  readonly view: PlaneView;
  readonly palette: Palette;
}

type Context = CanvasRenderingContext2D;

/** The view of a portrait in a box of this size: pixels are those of the plot, within its room. */
export function viewOf({ left, fastest }: Portrait, width: number, height: number): PlaneView {
  const view = new PlaneView({ left, right: left + TURN, bottom: -fastest, top: fastest }, false);
  view.fitInto(width - ROOM.left - ROOM.right, height - ROOM.top - ROOM.bottom, 0);
  return view;
}

export function drawPortrait(context: Context, scene: PhaseScene, width: number, height: number): void {
  const { view, palette } = scene;
  context.fillStyle = palette.card;
  context.fillRect(0, 0, width, height);
  context.save();
  context.translate(ROOM.left, ROOM.top);
  drawAxes(context, scene);
  context.beginPath();
  context.rect(0, 0, view.width, view.height);
  context.clip();
  drawField(context, scene);
  drawCurves(context, scene);
  context.restore();
}

interface Tick {
  readonly at: number;
  readonly text: string;
  readonly zero: boolean;
}

function angleTicks(view: PlaneView): Tick[] {
  const step = view.width > 560 ? 45 : 90;
  const [from, to] = [view.under(0, 0)[0], view.under(view.width, 0)[0]].map((angle) => (angle * 180) / Math.PI) as [number, number];
  return multiples(from, to, step).map((n) => {
    const turned = Math.round((wrapAngle((n * step * Math.PI) / 180) * 180) / Math.PI);
    const text = Math.abs(turned) === 180 ? "±180°" : `${tickTexts([turned], 1)[0] ?? ""}°`;
    return { at: view.px((n * step * Math.PI) / 180), text, zero: false };
  });
}

function speedTicks(view: PlaneView): Tick[] {
  const top = view.under(0, 0)[1];
  const step = niceStep((40 * 2 * top) / view.height);
  const steps = multiples(-top, top, step);
  const texts = tickTexts(steps.map((n) => n * step), step);
  return steps.map((n, i) => ({ at: view.py(n * step), text: texts[i] as string, zero: n === 0 }));
}

function drawAxes(context: Context, { view, palette }: PhaseScene): void {
  const [across, up] = [angleTicks(view), speedTicks(view)];
  context.lineWidth = 1;
  for (const zero of [false, true]) {
    context.beginPath();
    for (const tick of zero ? [] : across) line(context, crisp(tick.at), 0, crisp(tick.at), view.height);
    for (const tick of up) if (tick.zero === zero) line(context, 0, crisp(tick.at), view.width, crisp(tick.at));
    context.strokeStyle = zero ? palette.lineStrong : palette.grid;
    context.stroke();
  }
  context.strokeStyle = palette.line;
  context.strokeRect(0.5, 0.5, Math.round(view.width) - 1, Math.round(view.height) - 1);
  context.font = `10.5px ${palette.mono}`;
  context.fillStyle = palette.muted;
  context.textBaseline = "middle";
  context.textAlign = "right";
  for (const tick of up) context.fillText(tick.text, -8, tick.at);
  context.textAlign = "center";
  for (const tick of across) context.fillText(tick.text, Math.min(tick.at, view.width + ROOM.right - 14), view.height + 14);
}

function crisp(place: number): number {
  return Math.round(place) + 0.5;
}

function line(context: Context, x1: number, y1: number, x2: number, y2: number): void {
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
}

/** Short strokes with a head, longer and darker where the joint is faster through the picture. */
function drawField(context: Context, { portrait, view, palette }: PhaseScene): void {
  const columns = Math.max(4, Math.round(view.width / FIELD_SPACE));
  const rows = Math.max(4, 2 * Math.round(view.height / FIELD_SPACE / 2));
  const [perX, perY] = view.perPixel();
  const strokes = fieldOf(portrait, columns, rows).map(({ q, qd, qdd }) => ({ x: view.px(q), y: view.py(qd), dx: qd / perX, dy: -qdd / perY }));
  const fastest = strokes.reduce((most, { dx, dy }) => Math.max(most, Math.hypot(dx, dy)), 0);
  const paths = CLASSES.map(() => new Path2D());
  for (const { x, y, dx, dy } of strokes) {
    const speed = Math.hypot(dx, dy);
    if (!(speed > 1e-9 * fastest)) continue;
    const share = Math.sqrt(speed / fastest);
    const path = paths[Math.min(CLASSES.length - 1, Math.floor(share * CLASSES.length))] as Path2D;
    stroke(path, x, y, dx / speed, dy / speed, STROKE[0] + (STROKE[1] - STROKE[0]) * share);
  }
  context.strokeStyle = palette.muted;
  context.lineWidth = 1.1;
  context.lineCap = "round";
  paths.forEach((path, i) => {
    context.globalAlpha = CLASSES[i] as number;
    context.stroke(path);
  });
  context.globalAlpha = 1;
}

/** A stroke about its middle, along (cos, sin). */
function stroke(path: Path2D, x: number, y: number, cos: number, sin: number, length: number): void {
  const [endX, endY] = [x + (cos * length) / 2, y + (sin * length) / 2];
  path.moveTo(x - (cos * length) / 2, y - (sin * length) / 2);
  path.lineTo(endX, endY);
  const head = Math.min(3.6, 0.4 * length);
  for (const side of [1, -1]) {
    path.moveTo(endX - head * (cos + 0.75 * side * sin), endY - head * (sin - 0.75 * side * cos));
    path.lineTo(endX, endY);
  }
}

interface Curve {
  readonly line: PlaneLine;
  readonly width: number;
  readonly colour: string;
  readonly dash: readonly number[];
  readonly alpha: number;
}

/** Trajectories below, the running solution, then what parts the starts. */
function curvesOf({ portrait, trajectories, view, palette }: PhaseScene): Curve[] {
  const curve = (orbit: Orbit, color: number, width: number, alpha = 1, dash: readonly number[] = []): Curve => {
    const points = thinned(unrolled(orbit.q, orbit.qd, portrait.left), view);
    return { line: { ...points, role: "orbit", color, label: "" }, width, colour: palette.data[color] as string, dash, alpha };
  };
  const { running, separatrices } = portrait;
  return [
    ...trajectories.map(({ number, orbit }) => curve(orbit, trajectoryColour(number), 1.25)),
    ...separatrices.filter((one) => !one.incoming).map((one) => curve(one.orbit, SEPARATRIX_COLOUR, 1.5, 0.75)),
    ...separatrices.filter((one) => one.incoming).map((one) => curve(onwards(one.orbit), SEPARATRIX_COLOUR, 2.25)),
    ...(running ? [curve(running.orbit, RUNNING_COLOUR, 2.5, 1, [7, 4])] : []),
  ];
}

/** Points at least `THIN` pixels apart: beside a saddle an orbit has hundreds in one. Gaps and what lies beside them stay. */
function thinned({ x, y }: { x: readonly number[]; y: readonly number[] }, view: PlaneView): { x: Float64Array; y: Float64Array } {
  const [nearX, nearY] = view.perPixel().map((one) => THIN * one) as [number, number];
  const points = { x: new Float64Array(x.length), y: new Float64Array(x.length) };
  let count = 0;
  let [lastX, lastY] = [Number.NaN, Number.NaN];
  for (let k = 0; k < x.length; k++) {
    const [px, py] = [at(x, k), at(y, k)];
    const beforeGap = Number.isNaN(at(x, k + 1));
    if (!beforeGap && Math.abs(px - lastX) < nearX && Math.abs(py - lastY) < nearY) continue;
    points.x[count] = lastX = px;
    points.y[count++] = lastY = py;
  }
  return { x: points.x.subarray(0, count), y: points.y.subarray(0, count) };
}

/** An orbit that was followed backwards, in the order of time. */
function onwards({ t, q, qd }: Orbit): Orbit {
  return { t: [...t].reverse(), q: [...q].reverse(), qd: [...qd].reverse() };
}

function drawCurves(context: Context, scene: PhaseScene): void {
  const { portrait, view } = scene;
  if (portrait.restsAnywhere) drawRestLine(context, scene);
  const curves = curvesOf(scene);
  context.lineJoin = "round";
  context.lineCap = "butt";
  for (const { line: points, width, colour, dash, alpha } of curves) {
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.globalAlpha = alpha;
    context.setLineDash([...dash]);
    context.beginPath();
    trace(context, points.x, points.y, view);
    context.stroke();
  }
  context.setLineDash([]);
  context.globalAlpha = 1;
  drawHeads(context, curves.slice(Math.max(0, scene.trajectories.length - HEADED)), scene);
  drawStarts(context, scene);
}

/** Every angle is an equilibrium. */
function drawRestLine(context: Context, { view, palette }: PhaseScene): void {
  context.strokeStyle = palette.good;
  context.lineWidth = 3;
  context.beginPath();
  line(context, 0, view.py(0), view.width, view.py(0));
  context.stroke();
}

function trace(context: Context, x: ArrayLike<number>, y: ArrayLike<number>, view: PlaneView): void {
  let pen = false;
  for (let i = 0; i < x.length; i++) {
    const [px, py] = [view.px(at(x, i)), view.py(at(y, i))];
    if (!Number.isFinite(px + py)) pen = false;
    else if (pen) context.lineTo(px, py);
    else {
      context.moveTo(px, py);
      pen = true;
    }
  }
}

/** Which way curves are passed through. */
function drawHeads(context: Context, curves: readonly Curve[], { view, palette }: PhaseScene): void {
  context.beginPath();
  // the last painted have the first choice of places
  for (const { x, y, angle } of arrowsOn(curves.map((curve) => curve.line).reverse(), view)) {
    for (const turn of [0, 2.5, -2.5]) {
      const [px, py] = [x + 5.5 * Math.cos(angle + turn), y + 5.5 * Math.sin(angle + turn)];
      if (turn === 0) context.moveTo(px, py);
      else context.lineTo(px, py);
    }
    context.closePath();
  }
  context.fillStyle = palette.ink;
  context.globalAlpha = 0.8;
  context.fill();
  context.globalAlpha = 1;
}

/** Where trajectories begin: small rings. */
function drawStarts(context: Context, { portrait, trajectories, view, palette }: PhaseScene): void {
  context.lineWidth = 1.5;
  context.fillStyle = palette.card;
  for (const { number, orbit } of trajectories) {
    context.strokeStyle = palette.data[trajectoryColour(number)] as string;
    disc(context, view.px(intoTurn(at(orbit.q, 0), portrait.left)), view.py(at(orbit.qd, 0)), 3);
    context.fill();
    context.stroke();
  }
}

function trajectoryColour(number: number): number {
  return TRAJECTORY_COLOURS[number % TRAJECTORY_COLOURS.length] as number;
}

function disc(context: Context, x: number, y: number, radius: number): void {
  context.beginPath();
  context.arc(x, y, radius, 0, TURN);
}

/** What moves: states of the last moments, the last of them now; NaN parts motions. */
export interface PhaseMotion {
  readonly q: readonly number[];
  readonly qd: readonly number[];
  /** Where the keyboard's cursor is, while it is used. */
  readonly cursor: readonly [number, number] | null;
}

export function drawMotion(context: Context, scene: PhaseScene, motion: PhaseMotion, width: number, height: number): void {
  context.clearRect(0, 0, width, height);
  context.save();
  context.translate(ROOM.left, ROOM.top);
  drawTrail(context, scene, motion);
  drawNow(context, scene, motion);
  if (motion.cursor) drawCursor(context, scene, motion.cursor);
  context.restore();
}

function drawTrail(context: Context, { portrait, view, palette }: PhaseScene, { q, qd }: PhaseMotion): void {
  context.save();
  context.beginPath();
  context.rect(0, 0, view.width, view.height);
  context.clip();
  const { x, y } = unrolled(q, qd, portrait.left);
  const size = Math.ceil(x.length / FADES);
  context.strokeStyle = palette.accent;
  context.lineWidth = 2.5;
  context.lineJoin = "round";
  for (let k = 0; k * size < x.length; k++) {
    context.globalAlpha = (0.75 * (k + 1)) / FADES;
    context.beginPath();
    trace(context, x.slice(k * size, (k + 1) * size + 1), y.slice(k * size, (k + 1) * size + 1), view);
    context.stroke();
  }
  context.restore();
}

/** The state now; at the edge, as a wedge, where it is faster than the picture goes. */
function drawNow(context: Context, { portrait, view, palette }: PhaseScene, { q, qd }: PhaseMotion): void {
  const [angle, speed] = [at(q, q.length - 1), at(qd, qd.length - 1)];
  if (!Number.isFinite(angle + speed)) return;
  const x = view.px(intoTurn(angle, portrait.left));
  context.fillStyle = palette.accent;
  context.strokeStyle = palette.card;
  context.lineWidth = 2;
  if (Math.abs(speed) <= portrait.fastest) disc(context, x, view.py(speed), 6);
  else {
    const [edge, up] = speed > 0 ? [2, 1] : [view.height - 2, -1];
    context.beginPath();
    context.moveTo(x, edge);
    context.lineTo(x + 6, edge + 10 * up);
    context.lineTo(x - 6, edge + 10 * up);
    context.closePath();
  }
  context.fill();
  context.stroke();
}

function drawCursor(context: Context, { view, palette }: PhaseScene, [q, qd]: readonly [number, number]): void {
  const [x, y] = [view.px(q), view.py(qd)];
  for (const [width, colour] of [[4, palette.card], [1.5, palette.accent]] as const) {
    context.strokeStyle = colour;
    context.lineWidth = width;
    disc(context, x, y, 7);
    for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]] as const) line(context, x + 4 * dx, y + 4 * dy, x + 12 * dx, y + 12 * dy);
    context.stroke();
  }
}
