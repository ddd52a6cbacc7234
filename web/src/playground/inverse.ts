/** Joint angles that put the tip where the pointer is: closed forms for up to two links, damped least squares for more. */

import { at } from "../interpolate";
import { modelFor, type Mechanism, type Vector } from "./models";
import { innerReach, reachOf } from "./numbers";

/** How near to the rims of the workspace a tip is sent, in shares of the reach: at them the arm is singular. */
const RIM = 1e-4;
const ITERATIONS = 60;
/** Tip errors below this share of the reach [m/m] count as none. */
const CLOSE = 1e-10;

export interface Posture {
  q: Vector;
  /** Other postures with the same tip. */
  others: Vector[];
  /** How far out of reach the point is [m]; 0 within. */
  shortfall: number;
}

/** A point within reach, the nearest one along the ray from the base, and how far it was moved. */
export function withinReach(inner: number, outer: number, x: number, y: number): { x: number; y: number; shortfall: number } {
  const distance = Math.hypot(x, y);
  const shortfall = Math.max(0, distance - outer, inner - distance);
  const least = inner > 0 ? inner + RIM * outer : 1e-9 * outer;
  const wanted = Math.min(outer * (1 - RIM), Math.max(least, distance));
  if (distance === 0) return { x: wanted, y: 0, shortfall };
  return { x: (x * wanted) / distance, y: (y * wanted) / distance, shortfall };
}

/** The angle nearest to `near` that is `angle` but for whole turns. */
export function unwrapped(angle: number, near: number): number {
  return angle - 2 * Math.PI * Math.round((angle - near) / (2 * Math.PI));
}

/** The posture nearest to `q` with the tip at (x, y); with `orientation` the last of three links keeps its angle. */
export function reachFor(mechanism: Mechanism, q: Vector, x: number, y: number, orientation: number | null = null): Posture {
  const { arm, model } = mechanism;
  if (model.links === 3 && orientation !== null) return oriented(mechanism, q, x, y, orientation);
  const target = withinReach(innerReach(arm), reachOf(arm), x, y);
  if (model.links === 1) return { q: [unwrapped(Math.atan2(y, x), at(q, 0))], others: [], shortfall: target.shortfall };
  if (model.links === 2) {
    const both = twoLinks(mechanism.letters["l1"] ?? 1, mechanism.letters["l2"] ?? 1, target.x, target.y, q);
    return { ...both, shortfall: target.shortfall };
  }
  return { q: leastSquares(mechanism, q, target.x, target.y), others: [], shortfall: target.shortfall };
}

/** Both postures of two links, the one on the present side of the elbow first. */
function twoLinks(l1: number, l2: number, x: number, y: number, q: Vector): { q: Vector; others: Vector[] } {
  const solve = modelFor(2).inverseKinematics;
  const branch = Math.sin(at(q, 1)) >= 0 ? 1 : -1;
  const near = (found: Vector | null | undefined): Vector | null => found?.map((angle, i) => unwrapped(angle, at(q, i))) ?? null;
  const own = near(solve?.({ l1, l2 }, x, y, branch));
  const other = near(solve?.({ l1, l2 }, x, y, -branch as 1 | -1));
  return { q: own ?? other ?? q.slice(0, 2), others: own && other ? [other] : [] };
}

/** Three links with the angle φ of the last one held: its joint has to be at the tip minus l₃ (cos φ, sin φ). */
function oriented({ letters }: Mechanism, q: Vector, x: number, y: number, orientation: number): Posture {
  const [l1, l2, l3] = [letters["l1"] ?? 1, letters["l2"] ?? 1, letters["l3"] ?? 1];
  const [wx, wy] = [x - l3 * Math.cos(orientation), y - l3 * Math.sin(orientation)];
  const wrist = withinReach(Math.abs(l1 - l2), l1 + l2, wx, wy);
  const last = (pair: Vector): Vector => [...pair, unwrapped(orientation - at(pair, 0) - at(pair, 1), at(q, 2))];
  const both = twoLinks(l1, l2, wrist.x, wrist.y, q);
  return { q: last(both.q), others: both.others.map(last), shortfall: wrist.shortfall };
}

export function leastSquares({ model, letters, arm }: Mechanism, start: Vector, x: number, y: number): Vector {
  const chain: Chain = { reach: reachOf(arm), tip: (q) => model.tip(letters, q), jacobian: (q) => model.jacobian(letters, q), held: (q) => q };
  return solveChain(chain, start, x, y);
}

/** What damped least squares has to know of an arm. */
export interface Chain {
  /** The longest way from base to tip [m]. */
  reach: number;
  tip(q: Vector): Vector;
  /** Of x and y of the tip in its first two rows. */
  jacobian(q: Vector): readonly Vector[];
  /** The nearest posture that the joint limits allow. */
  held(q: Vector): Vector;
}

/**
 * Damped least squares on the Jacobian, Δq = Jᵀ (J Jᵀ + λ² 1)⁻¹ e. λ grows where a step does not help, as near
 * singular postures, and shrinks where it does: far from them it is Newton's method.
 */
export function solveChain(chain: Chain, start: Vector, x: number, y: number): Vector {
  const scale = chain.reach;
  let q = start.slice();
  let damping = 1e-3 * scale;
  let [ex, ey] = errorOf(q);
  for (let i = 0; i < ITERATIONS && Math.hypot(ex, ey) > CLOSE * scale; i++) {
    const step = dampedStep(chain.jacobian(q), ex, ey, damping);
    const tried = chain.held(q.map((angle, k) => angle + at(step, k)));
    const [nx, ny] = errorOf(tried);
    if (Math.hypot(nx, ny) < Math.hypot(ex, ey)) {
      [q, ex, ey] = [tried, nx, ny];
      damping = Math.max(1e-9 * scale, 0.2 * damping);
    } else {
      damping *= 4;
    }
  }
  return q;

  function errorOf(angles: Vector): [number, number] {
    const tip = chain.tip(angles);
    return [x - at(tip, 0), y - at(tip, 1)];
  }
}

/** Jᵀ (J Jᵀ + λ² 1)⁻¹ e of the first two rows of a Jacobian. */
function dampedStep(jacobian: readonly Vector[], ex: number, ey: number, damping: number): Vector {
  const [jx, jy] = [jacobian[0] as Vector, jacobian[1] as Vector];
  const dot = (one: Vector, other: Vector): number => one.reduce((sum, value, k) => sum + value * at(other, k), 0);
  const [xx, xy, yy] = [dot(jx, jx) + damping * damping, dot(jx, jy), dot(jy, jy) + damping * damping];
  const determinant = xx * yy - xy * xy;
  const [wx, wy] = [(yy * ex - xy * ey) / determinant, (xx * ey - xy * ex) / determinant];
  return jx.map((value, k) => value * wx + at(jy, k) * wy);
}
