/** What lies behind the arm: workspace, grid, path and traces. Only zooming, resizing and themes change it. */

import type { Arm, Column } from "./document";
import { type LengthUnit, multiples, niceStep } from "./geometry";
import { at, indexAt } from "./interpolate";
import type { Trace } from "./motion-track";
import { mix } from "./palette";
import { haloed, type Pen } from "./arm-draw";

export interface Backdrop {
  arm: Arm;
  unit: LengthUnit;
  path: { x: Column; y: Column } | null;
  /** Where the tip goes with a pen up. */
  travel?: { x: Column; y: Column } | undefined;
  /** Whole traces of the motions on this canvas. */
  traces: { trace: Trace; colour: string }[];
}

const TURN = 2 * Math.PI;
/** Pixels between labelled grid lines, at least. */
const GRID_PIXELS = 64;
/** Pixels of a line where the pen is up. */
const LIFTED_WIDTH = 0.75;
const LIFTED_DASH = [4, 3];

export function drawBackdrop(pen: Pen, backdrop: Backdrop): void {
  const { context, view, palette } = pen;
  context.fillStyle = palette.card;
  context.fillRect(0, 0, view.width, view.height);
  drawReach(pen, backdrop.arm);
  const step = niceStep(GRID_PIXELS / view.scale);
  drawGrid(pen, step);
  drawReachRim(pen, backdrop.arm);
  for (const { trace, colour } of backdrop.traces) drawWholeTrace(pen, backdrop.arm, trace, colour);
  if (backdrop.travel) drawTravel(pen, backdrop.travel);
  if (backdrop.path) drawPath(pen, backdrop.path);
  drawScale(pen, step, backdrop.unit);
  drawGravity(pen, backdrop.arm);
}

function drawReach(pen: Pen, arm: Arm): void {
  const { context, view, palette } = pen;
  const [x, y] = [view.x(arm.base[0]), view.y(arm.base[1])];
  const [inner, outer] = arm.reach;
  context.fillStyle = palette.reach;
  context.beginPath();
  context.arc(x, y, outer * view.scale, 0, TURN);
  if (inner > 0) context.arc(x, y, inner * view.scale, TURN, 0, true);
  context.fill();
}

function drawReachRim(pen: Pen, arm: Arm): void {
  const { context, view, palette } = pen;
  context.strokeStyle = mix(palette.accent, palette.lineStrong, 0.3);
  context.lineWidth = 1;
  context.setLineDash([4, 4]);
  for (const radius of arm.reach) {
    if (!(radius > 0)) continue;
    context.beginPath();
    context.arc(view.x(arm.base[0]), view.y(arm.base[1]), radius * view.scale, 0, TURN);
    context.stroke();
  }
  context.setLineDash([]);
}

/** Lines at every `step`, fainter ones between them, and the axes. */
function drawGrid(pen: Pen, step: number): void {
  const { context, palette } = pen;
  const fine = step / 5;
  context.lineWidth = 1;
  context.strokeStyle = palette.grid;
  context.globalAlpha = 0.55;
  addLines(pen, fine, (k) => k % 5 !== 0);
  context.globalAlpha = 1;
  context.strokeStyle = mix(palette.line, palette.grid, 0.6);
  addLines(pen, step, (k) => k !== 0);
  context.strokeStyle = palette.lineStrong;
  addLines(pen, step, (k) => k === 0);
}

function addLines(pen: Pen, step: number, wanted: (k: number) => boolean): void {
  const { context, view } = pen;
  const seen = view.seen();
  context.beginPath();
  for (const k of multiples(seen.left, seen.right, step)) {
    if (!wanted(k)) continue;
    const x = Math.round(view.x(k * step)) + 0.5;
    context.moveTo(x, 0);
    context.lineTo(x, view.height);
  }
  for (const k of multiples(seen.bottom, seen.top, step)) {
    if (!wanted(k)) continue;
    const y = Math.round(view.y(k * step)) + 0.5;
    context.moveTo(0, y);
    context.lineTo(view.width, y);
  }
  context.stroke();
}

/** Numbers along the lower and the left edge; the last of each has the unit. */
function drawScale(pen: Pen, step: number, unit: LengthUnit): void {
  const { context, view, palette } = pen;
  const seen = view.seen();
  const digits = Math.max(0, -Math.floor(Math.log10(step * unit.factor) + 1e-9));
  const text = (k: number, last: boolean): string =>
    (k * step * unit.factor).toFixed(digits).replace("-", "−") + (last ? ` ${unit.name}` : "");
  context.font = `400 10.5px ${palette.mono}`;
  context.textBaseline = "alphabetic";
  const across = multiples(seen.left, seen.right, step).filter((k) => view.x(k * step) > 36 && view.x(k * step) < view.width - 22);
  across.forEach((k, i) => {
    haloed(pen, text(k, i === across.length - 1), view.x(k * step), view.height - 7, palette.muted, "center");
  });
  const up = multiples(seen.bottom, seen.top, step).filter((k) => view.y(k * step) > 18 && view.y(k * step) < view.height - 24);
  up.forEach((k, i) => {
    haloed(pen, text(k, i === up.length - 1), 8, view.y(k * step) - 4, palette.muted, "left");
  });
}

/** An arrow the way gravity pulls, in the upper right corner. */
function drawGravity(pen: Pen, arm: Arm): void {
  const [gx, gy] = arm.gravity;
  const size = Math.hypot(gx, gy);
  if (!(size > 0)) return;
  const { context, view, palette } = pen;
  const [x, y] = [view.width - 20, 22];
  const [ux, uy] = [gx / size, -gy / size];
  context.strokeStyle = context.fillStyle = palette.muted;
  context.lineWidth = 1.25;
  context.beginPath();
  context.moveTo(x - 9 * ux, y - 9 * uy);
  context.lineTo(x + 6 * ux, y + 6 * uy);
  context.stroke();
  context.beginPath();
  context.moveTo(x + 11 * ux, y + 11 * uy);
  context.lineTo(x + 4 * ux - 3.5 * uy, y + 4 * uy + 3.5 * ux);
  context.lineTo(x + 4 * ux + 3.5 * uy, y + 4 * uy - 3.5 * ux);
  context.fill();
  context.font = `italic 500 12px ${palette.sans}`;
  context.textBaseline = "middle";
  haloed(pen, "g", x - 8 - 5 * Math.abs(uy), y + 10 * Math.abs(ux), palette.muted, "right");
}

/** Thin and dashed, so that nobody takes it for what is drawn. */
function drawTravel(pen: Pen, travel: { x: Column; y: Column }): void {
  const { context, palette } = pen;
  addPath(pen, travel);
  context.strokeStyle = mix(palette.ink, palette.muted, 0.35);
  context.lineWidth = LIFTED_WIDTH;
  context.setLineDash(LIFTED_DASH);
  context.stroke();
  context.setLineDash([]);
}

function drawPath(pen: Pen, path: { x: Column; y: Column }): void {
  const { context, palette } = pen;
  addPath(pen, path);
  context.strokeStyle = palette.card;
  context.lineWidth = 4;
  context.stroke();
  context.strokeStyle = mix(palette.ink, palette.muted, 0.35);
  context.lineWidth = 1.5;
  context.stroke();
}

/** Begin a line along points; NaN is a gap. */
function addPath(pen: Pen, path: { x: Column; y: Column }): void {
  const { context, view } = pen;
  context.lineJoin = "round";
  context.beginPath();
  let open = false;
  for (let i = 0; i < path.x.length; i++) {
    const [x, y] = [view.x(at(path.x, i)), view.y(at(path.y, i))];
    if (!Number.isFinite(x) || !Number.isFinite(y)) open = false;
    else if (open) context.lineTo(x, y);
    else {
      context.moveTo(x, y);
      open = true;
    }
  }
}

/** Lengths of the arm beyond which a trace would paint the workspace: a whirling arm shows its last rounds only. */
const MOST_ROUNDS = 80;

/** The whole way of the tip, pale; paler the more often it crosses the workspace. */
function drawWholeTrace(pen: Pen, arm: Arm, trace: Trace, colour: string): void {
  const { context } = pen;
  const rounds = trace.length / Math.max(1e-9, arm.reach[1]);
  if (rounds > MOST_ROUNDS) return;
  context.globalAlpha = Math.min(0.5, Math.max(0.07, 6 / Math.max(1e-9, rounds)));
  context.strokeStyle = colour;
  context.lineJoin = "round";
  // dashes as those of the travel, which lies over it, so that its gaps stay gaps
  strokeTrace(pen, trace, 0, trace.t.length - 1, 1, LIFTED_DASH);
  context.globalAlpha = 1;
}

/** A part of a trace, thin and with these dashes where the pen is up; it goes on to `end` [px] if that is given. */
function strokeTrace(
  pen: Pen,
  trace: Trace,
  from: number,
  to: number,
  width: number,
  dash: readonly number[],
  end?: [number, number],
): void {
  const { context } = pen;
  for (const run of traceRuns(trace, from, to)) {
    context.lineWidth = run.lifted ? Math.min(width, LIFTED_WIDTH) : width;
    context.setLineDash(run.lifted ? dash : []);
    context.beginPath();
    addTrace(pen, trace, run.from, run.to);
    if (end && run.to === to) context.lineTo(...end);
    context.stroke();
  }
  context.setLineDash([]);
}

/** The parts of a trace between samples, each with the pen up or down throughout. */
export function traceRuns(trace: Trace, from: number, to: number): { from: number; to: number; lifted: boolean }[] {
  const up = (i: number): boolean => trace.lifted?.[i] === 1;
  const runs = [{ from, to, lifted: up(from) }];
  for (let i = from + 1; i < to; i++) {
    const last = runs[runs.length - 1] as (typeof runs)[number];
    if (up(i) === last.lifted) continue;
    last.to = i;
    runs.push({ from: i, to, lifted: up(i) });
  }
  return runs;
}

function addTrace(pen: Pen, trace: Trace, from: number, to: number): void {
  const { context, view } = pen;
  context.moveTo(view.x(at(trace.xy, 2 * from)), view.y(at(trace.xy, 2 * from + 1)));
  for (let i = from + 1; i <= to; i++) context.lineTo(view.x(at(trace.xy, 2 * i)), view.y(at(trace.xy, 2 * i + 1)));
}

/** Steps in which a trace fades: each is one stroke, however many points it has. */
const FADE_STEPS = 12;

/** How long a trace is seen [s]: a part of the motion, and no more than a few rounds of a whirling arm. */
export function fadeTime(trace: Trace, reach: number): number {
  const span = at(trace.t, trace.t.length - 1) - at(trace.t, 0);
  const part = Math.min(6, Math.max(0.8, 0.2 * span));
  return trace.length > 0 ? Math.min(part, (5 * reach * span) / trace.length) : part;
}

/** The trace of the last `seconds` up to the tip at (tipX, tipY) in pixels, fading with age. */
export function drawFadingTrace(
  pen: Pen,
  trace: Trace,
  time: number,
  seconds: number,
  colour: string,
  tipX: number,
  tipY: number,
): void {
  const { context, view } = pen;
  const begin = at(trace.t, 0);
  if (!(time > begin)) return;
  context.strokeStyle = colour;
  context.lineJoin = "round";
  context.lineCap = "butt";
  let from = indexAt(trace.t, Math.max(begin, time - seconds));
  for (let step = 1; step <= FADE_STEPS; step++) {
    const until = time - seconds * (1 - step / FADE_STEPS);
    if (until <= begin) continue;
    const to = indexAt(trace.t, until);
    const last = step === FADE_STEPS;
    if (to <= from && !last) continue;
    const age = step / FADE_STEPS;
    context.globalAlpha = age * age;
    const end: [number, number] = [Number.isFinite(tipX) ? tipX : view.x(at(trace.xy, 2 * to)), tipY];
    strokeTrace(pen, trace, from, to, 1 + 1.6 * age, [], last ? end : undefined);
    from = to;
  }
  context.globalAlpha = 1;
}
