/** A motion of the document, ready to be asked for its pose, its torques and the trace of its tip. */

import type { Arm, Column, Loaded, Motion } from "./document";
import { type Bounds, emptyBounds, forward, padded, stretch } from "./geometry";
import { at, fraction, hermite, indexAt, slopesOf } from "./interpolate";

/** Points of a tip's trace: x, y interleaved [m], with the time of each. */
export interface Trace {
  xy: Float64Array;
  t: Float64Array;
  /** Length of the whole trace [m]. */
  length: number;
  /** 1 at points from which on a pen is up; only of a drawing whose pen is lifted. */
  lifted?: Uint8Array;
}

/** Most points of a trace: beyond them its chords may be coarser than asked. */
const MOST_POINTS = 60_000;

export class MotionTrack {
  readonly motion: Motion;
  readonly arm: Arm;
  readonly t: Column;
  readonly #q: Column[];
  readonly #slopes: Float64Array[];
  readonly #tau: Column[] | null;
  /** Greatest size of each joint's torque [N·m]. */
  readonly peaks: number[];

  constructor(loaded: Loaded, motion: Motion) {
    this.motion = motion;
    this.arm = motion.arm ?? loaded.header.arm;
    this.t = loaded.column(motion.t);
    this.#q = motion.q.map((ref) => loaded.column(ref));
    this.#slopes = this.#q.map((values) => slopesOf(this.t, values));
    this.#tau = motion.tau?.map((ref) => loaded.column(ref)) ?? null;
    this.peaks = this.#tau?.map(peak) ?? [];
  }

  get start(): number {
    return at(this.t, 0);
  }

  get end(): number {
    return at(this.t, this.t.length - 1);
  }

  /** Joint angles at a time [rad], into `out`. */
  angles(time: number, out: Float64Array): Float64Array {
    const k = indexAt(this.t, time);
    const s = fraction(this.t, k, time);
    return this.#anglesIn(k, s, out);
  }

  /** Joint torques at a time [N·m], linear between samples; false where there are none. */
  torques(time: number, out: Float64Array): boolean {
    if (!this.#tau) return false;
    const k = indexAt(this.t, time);
    const s = fraction(this.t, k, time);
    this.#tau.forEach((values, i) => {
      const from = at(values, k);
      out[i] = s === 0 ? from : (1 - s) * from + s * at(values, k + 1);
    });
    return true;
  }

  /** Positions of base, joints and tip at a time, x, y interleaved [m], into `out`. */
  pose(time: number, q: Float64Array, out: Float64Array): Float64Array {
    return forward(this.arm.lengths, this.arm.base, this.angles(time, q), out);
  }

  /**
   * The tip's trace with chords at most `tolerance` [m] from its curve.
   *
   * While link i turns by Δφ_i, its end leaves the chord by at most l_i Δφ_i² / 8; all links' parts
   * added bound the tip's. Each interval between samples is cut into as many pieces as that asks for.
   */
  trace(tolerance: number): Trace {
    const pieces = this.#pieces(tolerance);
    const count = pieces.reduce((sum, m) => sum + m, 0) + 1;
    const xy = new Float64Array(2 * count);
    const t = new Float64Array(count);
    const q = new Float64Array(this.arm.n);
    const pose = new Float64Array(2 * (this.arm.n + 1));
    let next = 0;
    let length = 0;
    const add = (k: number, s: number, time: number): void => {
      forward(this.arm.lengths, this.arm.base, this.#anglesIn(k, s, q), pose);
      const x = at(pose, 2 * this.arm.n);
      const y = at(pose, 2 * this.arm.n + 1);
      if (next > 0) length += Math.hypot(x - at(xy, 2 * next - 2), y - at(xy, 2 * next - 1)) || 0;
      xy[2 * next] = x;
      xy[2 * next + 1] = y;
      t[next++] = time;
    };
    pieces.forEach((m, k) => {
      const from = at(this.t, k);
      const h = at(this.t, k + 1) - from;
      for (let piece = 0; piece < m; piece++) add(k, piece / m, from + (h * piece) / m);
    });
    if (this.t.length > 0) add(this.t.length - 1, 0, this.end);
    return { xy: xy.subarray(0, 2 * next), t: t.subarray(0, next), length };
  }

  #anglesIn(k: number, s: number, out: Float64Array): Float64Array {
    for (let i = 0; i < this.#q.length; i++) {
      out[i] = hermite(this.t, this.#q[i] as Column, this.#slopes[i] as Float64Array, k, s);
    }
    return out;
  }

  /** Pieces of each interval between samples. */
  #pieces(tolerance: number): number[] {
    const bends: number[] = [];
    for (let k = 0; k + 1 < this.t.length; k++) {
      let turned = 0;
      let bend = 0;
      this.arm.lengths.forEach((length, i) => {
        turned += this.#turn(i, k);
        bend += (length * turned * turned) / 8;
      });
      bends.push(Number.isFinite(bend) ? bend : 0);
    }
    const cut = (within: number): number[] => bends.map((bend) => Math.max(1, Math.ceil(Math.sqrt(bend / within))));
    const pieces = cut(tolerance);
    const total = pieces.reduce((sum, m) => sum + m, 0);
    return total <= MOST_POINTS ? pieces : cut(tolerance * (total / MOST_POINTS) ** 2);
  }

  /** How far joint `i` turns between samples k and k+1: the chord, or more where it speeds up within. */
  #turn(i: number, k: number): number {
    const values = this.#q[i] as Column;
    const slopes = this.#slopes[i] as Float64Array;
    const h = at(this.t, k + 1) - at(this.t, k);
    const most = h * Math.max(Math.abs(at(slopes, k)), Math.abs(at(slopes, k + 1)));
    return Math.max(Math.abs(at(values, k + 1) - at(values, k)), most);
  }
}

/** Of increasing times, 1 for those at which a pen is up: from each start to before the end [s]. */
export function liftedAt(times: ArrayLike<number>, lifted: readonly (readonly [number, number])[]): Uint8Array {
  const up = new Uint8Array(times.length);
  let next = 0;
  for (let i = 0; i < times.length; i++) {
    const time = at(times, i);
    while (next < lifted.length && time >= (lifted[next]?.[1] ?? Infinity)) next++;
    up[i] = time >= (lifted[next]?.[0] ?? Infinity) ? 1 : 0;
  }
  return up;
}

function peak(values: Column): number {
  let most = 0;
  for (const value of values) if (Math.abs(value) > most) most = Math.abs(value);
  return most;
}

/** Poses of a motion, and motions of a document, that are looked at to see what part of the plane is used. */
const POSES_SEEN = 240;
const MOTIONS_SEEN = 24;

/**
 * What a canvas shows: the part of the plane that the arm uses in any motion of the document, so that two
 * canvases of one document have one scale; the path; and some of the workspace around.
 */
export function usedBounds(loaded: Loaded): Bounds {
  const { arm, motions, path } = loaded.header;
  const [x, y] = arm.base;
  const reach = arm.reach[1] || 1;
  const workspace = { left: x - reach, right: x + reach, bottom: y - reach, top: y + reach };
  if (motions.length === 0) return workspace;
  const used = emptyBounds();
  stretch(used, x, y);
  for (const motion of motions.slice(0, MOTIONS_SEEN)) stretchBy(used, new MotionTrack(loaded, motion));
  if (path) {
    const [px, py] = [loaded.column(path.x), loaded.column(path.y)];
    for (let i = 0; i < px.length; i++) stretch(used, at(px, i), at(py, i));
  }
  return padded(used, 0.14 * reach, 1.2 * reach, workspace);
}

function stretchBy(bounds: Bounds, track: MotionTrack): void {
  const q = new Float64Array(track.arm.n);
  const pose = new Float64Array(2 * track.arm.n + 2);
  for (let k = 0; k <= POSES_SEEN; k++) {
    track.pose(track.start + ((track.end - track.start) * k) / POSES_SEEN, q, pose);
    for (let i = 0; i < pose.length; i += 2) stretch(bounds, at(pose, i), at(pose, i + 1));
  }
}
