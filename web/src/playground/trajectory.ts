/**
 * A path that was drawn, and the motion of the joints along it.
 *
 * What a finger draws trembles: its points are spaced evenly along the way and smoothed by a Gaussian. A cubic spline
 * leads through them. The tip runs from rest to rest, s = L (10 u³ − 15 u⁴ + 6 u⁵) with u = t/T; inverse
 * kinematics follows it on one branch, and a cubic spline through the joint angles gives rates and accelerations.
 */

import { at } from "../interpolate";
import type { Reference } from "./control";
import { reachFor, withinReach } from "./inverse";
import type { Mechanism, Vector } from "./models";
import { innerReach, reachOf } from "./numbers";

export interface Point {
  x: number;
  y: number;
}

/** Most points that a drawn path keeps: few enough for an address that can be shared. */
export const MOST_POINTS = 48;
/** Points along a path at which its reach is looked at and drawn. */
const DRAWN_POINTS = 400;
/** Seconds between the samples of the joints' spline. */
const SAMPLE = 0.01;
const MOST_SAMPLES = 12_000;
/** Seconds to go from where the arm is to where a path begins. */
const APPROACH = 1;
/** Peak of the rate of 10 u³ − 15 u⁴ + 6 u⁵. */
const QUINTIC_PEAK = 1.875;

/** Smooth by a Gaussian of `sigma` samples, cut off at 4 sigma; beyond the ends the end values go on. */
export function gaussian(values: readonly number[], sigma: number): number[] {
  const half = Math.floor(4 * sigma + 0.5);
  const weights = Array.from({ length: 2 * half + 1 }, (_, k) => Math.exp(-0.5 * ((k - half) / sigma) ** 2));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const held = (i: number): number => at(values, Math.min(values.length - 1, Math.max(0, i)));
  return values.map((_, i) => weights.reduce((total, weight, k) => total + weight * held(i + k - half), 0) / sum);
}

/** `count` points that are evenly spaced along a polyline. */
export function evenlySpaced(points: readonly Point[], count: number): Point[] {
  const along = lengthsAlong(points);
  const total = at(along, along.length - 1);
  let k = 0;
  return Array.from({ length: count }, (_, i) => {
    const wanted = (total * i) / (count - 1);
    while (k < points.length - 2 && at(along, k + 1) < wanted) k++;
    const [from, to] = [points[k] as Point, points[k + 1] as Point];
    const share = Math.min(1, (wanted - at(along, k)) / (at(along, k + 1) - at(along, k) || 1));
    return { x: from.x + share * (to.x - from.x), y: from.y + share * (to.y - from.y) };
  });
}

function lengthsAlong(points: readonly Point[]): number[] {
  let sum = 0;
  return points.map((point, i) => {
    const before = points[i - 1];
    if (before) sum += Math.hypot(point.x - before.x, point.y - before.y);
    return sum;
  });
}

/** What a finger drew, without its trembling; null where it hardly moved. Ends stay where they were. */
export function smoothStroke(drawn: readonly Point[], least: number): Point[] | null {
  const along = lengthsAlong(drawn);
  const total = at(along, along.length - 1);
  if (drawn.length < 3 || !(total > least)) return null;
  const dense = evenlySpaced(drawn, 4 * MOST_POINTS);
  const [x, y] = [gaussian(dense.map((point) => point.x), 5), gaussian(dense.map((point) => point.y), 5)];
  const smooth = x.map((each, i) => ({ x: each, y: at(y, i) }));
  const [first, last] = [dense[0] as Point, dense[dense.length - 1] as Point];
  const count = Math.min(MOST_POINTS, Math.max(6, drawn.length));
  return evenlySpaced([first, ...smooth.slice(1, -1), last], count);
}

/** A cubic spline through values at evenly spaced times, with given slopes at its ends. */
export class CubicSpline {
  readonly #values: readonly number[];
  readonly #slopes: number[];
  readonly #step: number;

  constructor(values: readonly number[], step: number, first: number, last: number) {
    this.#values = values;
    this.#step = step;
    this.#slopes = clampedSlopes(values, step, first, last);
  }

  /** Value, rate and acceleration; the ends hold beyond them. */
  at(time: number): [number, number, number] {
    const h = this.#step;
    const end = (this.#values.length - 1) * h;
    const held = Math.min(end, Math.max(0, time));
    const k = Math.min(this.#values.length - 2, Math.floor(held / h));
    const [y0, y1] = [at(this.#values, k), at(this.#values, k + 1)];
    const [d0, d1] = [h * at(this.#slopes, k), h * at(this.#slopes, k + 1)];
    const [a, b] = [3 * (y1 - y0) - 2 * d0 - d1, 2 * (y0 - y1) + d0 + d1];
    const s = held / h - k;
    const value = y0 + s * (d0 + s * (a + s * b));
    if (time < 0 || time > end) return [value, 0, 0];
    return [value, (d0 + s * (2 * a + 3 * s * b)) / h, (2 * a + 6 * s * b) / (h * h)];
  }
}

/** Slopes of the spline with continuous second derivatives: d[k−1] + 4 d[k] + d[k+1] = 3 (y[k+1] − y[k−1]) / h. */
function clampedSlopes(values: readonly number[], h: number, first: number, last: number): number[] {
  const n = values.length;
  const slopes = new Array<number>(n).fill(0);
  const upper = new Array<number>(n).fill(0);
  slopes[0] = first;
  for (let k = 1; k < n - 1; k++) {
    const pivot = 4 - at(upper, k - 1);
    upper[k] = 1 / pivot;
    slopes[k] = ((3 * (at(values, k + 1) - at(values, k - 1))) / h - at(slopes, k - 1)) / pivot;
  }
  slopes[n - 1] = last;
  for (let k = n - 2; k > 0; k--) slopes[k] = at(slopes, k) - at(upper, k) * at(slopes, k + 1);
  return slopes;
}

/** The curve through points: a spline over the length of the polyline, as a function of a share of the way. */
function curveThrough(points: readonly Point[]): (share: number) => Point {
  const even = evenlySpaced(points, Math.max(points.length, 3));
  const step = 1 / (even.length - 1);
  const spline = (of: (point: Point) => number): CubicSpline => {
    const values = even.map(of);
    const [a, b, c] = [at(values, 0), at(values, 1), at(values, 2)];
    const [x, y, z] = values.slice(-3) as [number, number, number];
    return new CubicSpline(values, step, (-3 * a + 4 * b - c) / (2 * step), (3 * z - 4 * y + x) / (2 * step));
  };
  const [x, y] = [spline((point) => point.x), spline((point) => point.y)];
  return (share) => ({ x: x.at(share)[0], y: y.at(share)[0] });
}

/** A path to follow: as it was drawn, or loops on a circle as in the paper of Kehl and others. */
export type PathShape =
  | { kind: "stroke"; points: readonly Point[]; speed: number }
  | { kind: "loops"; radius: number; loopRadius: number; loops: number; duration: number };

/** A motion along a path; times count from its own beginning. */
export interface Trajectory {
  duration: number;
  /** Points along the path, and how far each is out of reach [m]. */
  drawn: readonly (Point & { shortfall: number })[];
  /** Where, how fast and how the tip should be; the reference of every joint. */
  at(time: number): Reference;
  /** Share of the path that is out of reach, and by how much at worst [m]. */
  unreachable: number;
  shortfall: number;
  /** Length [m]. */
  length: number;
}

/** R e^{i(wt + π/2)} + r e^{i((k+1)wt − π/2)}, w = 2π: one turn with k loops, as a share of it. */
function loopsCurve(radius: number, loopRadius: number, loops: number): (share: number) => Point {
  return (share) => {
    const turn = 2 * Math.PI * share;
    const [a, b] = [turn + Math.PI / 2, (loops + 1) * turn - Math.PI / 2];
    return { x: radius * Math.cos(a) + loopRadius * Math.cos(b), y: radius * Math.sin(a) + loopRadius * Math.sin(b) };
  };
}

/** Plan the joints' motion along a path, beginning from posture `q`. */
export function planTrajectory(mechanism: Mechanism, shape: PathShape, q: Vector): Trajectory {
  const drawnPath = shape.kind === "stroke";
  const curve = drawnPath ? curveThrough(shape.points) : loopsCurve(shape.radius, shape.loopRadius, shape.loops);
  const drawn = Array.from({ length: DRAWN_POINTS + 1 }, (_, i) => ({ ...curve(i / DRAWN_POINTS), shortfall: 0 }));
  const length = at(lengthsAlong(drawn), DRAWN_POINTS);
  const pathTime = drawnPath ? Math.max(0.5, (QUINTIC_PEAK * length) / shape.speed) : shape.duration;
  const share = drawnPath ? (time: number) => quintic(time / pathTime) : (time: number) => time / pathTime;
  const samples = Math.min(MOST_SAMPLES, Math.max(8, Math.round(pathTime / SAMPLE)));
  const postures = followCurve(mechanism, (k) => curve(share((k * pathTime) / samples)), samples, q);
  markReach(mechanism, drawn);
  const splines = jointSplines(postures, pathTime / samples, drawnPath);
  const start = postures[0] as Vector;
  const approach = drawnPath && start.some((angle, i) => Math.abs(angle - at(q, i)) > 1e-9) ? APPROACH : 0;
  const outside = drawn.filter((point) => point.shortfall > 1e-9 * reachOf(mechanism.arm));
  return {
    duration: approach + pathTime,
    drawn,
    length,
    unreachable: outside.length / drawn.length,
    shortfall: Math.max(0, ...outside.map((point) => point.shortfall)),
    at: (time) => (time < approach ? between(q, start, time, approach) : splineReference(splines, time - approach)),
  };
}

export function quintic(u: number): number {
  const held = Math.min(1, Math.max(0, u));
  return held * held * held * (10 + held * (6 * held - 15));
}

function followCurve(mechanism: Mechanism, point: (sample: number) => Point, samples: number, q: Vector): Vector[] {
  let now = q;
  return Array.from({ length: samples + 1 }, (_, k) => {
    const { x, y } = point(k);
    now = reachFor(mechanism, now, x, y).q;
    return now;
  });
}

function markReach({ arm }: Mechanism, drawn: (Point & { shortfall: number })[]): void {
  const [inner, outer] = [innerReach(arm), reachOf(arm)];
  for (const point of drawn) point.shortfall = withinReach(inner, outer, point.x, point.y).shortfall;
}

/** From rest to rest where a path was drawn; else with the slopes that the samples have at the ends. */
function jointSplines(postures: readonly Vector[], step: number, fromRest: boolean): CubicSpline[] {
  return (postures[0] as Vector).map((_, joint) => {
    const values = postures.map((q) => at(q, joint));
    const last = values.length - 1;
    const first = fromRest ? 0 : endSlope(values.slice(0, 5), step);
    const end = fromRest ? 0 : -endSlope([last, last - 1, last - 2, last - 3, last - 4].map((k) => at(values, k)), step);
    return new CubicSpline(values, step, first, end);
  });
}

/** Slope at the first of five evenly spaced values, to the fourth order. */
function endSlope(values: readonly number[], h: number): number {
  const [a, b, c, d, e] = values as [number, number, number, number, number];
  return (-25 * a + 48 * b - 36 * c + 16 * d - 3 * e) / (12 * h);
}

function splineReference(splines: readonly CubicSpline[], time: number): Reference {
  const rows = splines.map((spline) => spline.at(time));
  return { q: rows.map((row) => row[0]), qd: rows.map((row) => row[1]), qdd: rows.map((row) => row[2]) };
}

/** From one posture to another by the quintic, from rest to rest. */
function between(from: Vector, to: Vector, time: number, duration: number): Reference {
  const u = Math.min(1, Math.max(0, time / duration));
  const rate = (30 * u * u * (1 - u) * (1 - u)) / duration;
  const acceleration = (60 * u * (1 - u) * (1 - 2 * u)) / (duration * duration);
  const gaps = from.map((angle, i) => at(to, i) - angle);
  return {
    q: from.map((angle, i) => angle + at(gaps, i) * quintic(u)),
    qd: gaps.map((gap) => gap * rate),
    qdd: gaps.map((gap) => gap * acceleration),
  };
}
