/** Postures of an arm that is moved by hand: by its tip, or joint by joint, within the joint limits. Any number of links. */

import type { Arm } from "../document";
import { forward } from "../geometry";
import { at } from "../interpolate";
import { type Chain, solveChain, unwrapped, withinReach } from "../playground/inverse";

/** An arm whose inner joints all are closer to straight than this [rad] does not yield to a pull along itself. */
const STRAIGHT = 1e-3;
/** By how much its joints are bent then [rad]. */
const BEND = 0.03;
/** A tip that comes this close to where it is to be, in shares of the reach, is there. */
const THERE = 1e-6;

export interface Posture {
  q: number[];
  /** How far the tip is from where it is to be [m]; 0 where it gets there. */
  shortfall: number;
}

/** Base, joints and tip [m], x and y interleaved. */
export function places(arm: Arm, q: readonly number[]): Float64Array {
  return forward(arm.lengths, arm.base, q, new Float64Array(2 * arm.n + 2));
}

export function tipOf(arm: Arm, q: readonly number[]): [number, number] {
  const found = places(arm, q);
  return [at(found, 2 * arm.n), at(found, 2 * arm.n + 1)];
}

/** The nearest posture that the joint limits allow. */
export function held(arm: Arm, q: readonly number[]): number[] {
  return q.map((angle, i) => Math.min(arm.joints[i]?.upper ?? Infinity, Math.max(arm.joints[i]?.lower ?? -Infinity, angle)));
}

function isAllowed(arm: Arm, q: readonly number[]): boolean {
  return held(arm, q).every((angle, i) => angle === q[i]);
}

/** The posture next to `q` with the tip at (x, y), or as near to there as it gets. */
export function reachedFrom(arm: Arm, q: readonly number[], x: number, y: number): Posture {
  const near = withinReach(arm.reach[0], arm.reach[1], x - arm.base[0], y - arm.base[1]);
  const found = posture(arm, q, near.x, near.y);
  const [tipX, tipY] = tipOf(arm, found);
  const missed = Math.hypot(tipX - x, tipY - y);
  // Tips stop short of the rim, where the arm would be singular: that is no shortfall.
  const rim = Math.hypot(near.x + arm.base[0] - x, near.y + arm.base[1] - y) - near.shortfall;
  return { q: found, shortfall: missed - rim > THERE * arm.reach[1] ? missed : 0 };
}

/** Joint angles for a tip at (x, y) from the base, which the links reach. */
function posture(arm: Arm, q: readonly number[], x: number, y: number): number[] {
  if (arm.n === 1) return held(arm, [unwrapped(Math.atan2(y, x), at(q, 0))]);
  if (arm.n === 2) {
    const found = twoLinks(arm, q, x, y);
    if (isAllowed(arm, found)) return found;
  }
  return solveChain(chainOf(arm), held(arm, bent(q)), x, y);
}

/**
 * Two links on the side of the elbow that they have:
 *
 *     cos q₂ = (x² + y² − l₁² − l₂²) / (2 l₁ l₂),   q₁ = atan2(y, x) − atan2(l₂ sin q₂, l₁ + l₂ cos q₂)
 */
function twoLinks(arm: Arm, q: readonly number[], x: number, y: number): number[] {
  const [l1, l2] = [at(arm.lengths, 0), at(arm.lengths, 1)];
  const cosine = (x * x + y * y - l1 * l1 - l2 * l2) / (2 * l1 * l2);
  const elbow = Math.acos(Math.min(1, Math.max(-1, cosine))) * (Math.sin(at(q, 1)) >= 0 ? 1 : -1);
  const shoulder = Math.atan2(y, x) - leadOf(l1, l2, elbow);
  return [unwrapped(shoulder, at(q, 0)), unwrapped(elbow, at(q, 1))];
}

/** Angle from the first of two links to the tip, as seen from the base. */
function leadOf(l1: number, l2: number, elbow: number): number {
  return Math.atan2(l2 * Math.sin(elbow), l1 + l2 * Math.cos(elbow));
}

/** The other posture of two links with the same tip; null where there is none, or where a limit forbids it. */
export function otherBranch(arm: Arm, q: readonly number[]): number[] | null {
  if (arm.n !== 2 || Math.abs(Math.sin(at(q, 1))) < STRAIGHT) return null;
  const found = [at(q, 0) + 2 * leadOf(at(arm.lengths, 0), at(arm.lengths, 1), at(q, 1)), -at(q, 1)];
  return isAllowed(arm, found) ? found : null;
}

/** The posture with one joint turned towards an angle, as far as its limits let it. */
export function turned(arm: Arm, q: readonly number[], joint: number, angle: number): number[] {
  const wanted = q.map((old, i) => (i === joint ? unwrapped(angle, old) : old));
  return q.map((old, i) => (i === joint ? at(held(arm, wanted), i) : old));
}

function bent(q: readonly number[]): number[] {
  const straight = q.slice(1).every((angle) => Math.abs(Math.sin(angle)) < STRAIGHT);
  return q.map((angle, i) => (straight && i > 0 ? angle + BEND : angle));
}

function chainOf(arm: Arm): Chain {
  const from = { ...arm, base: [0, 0] as [number, number] };
  return {
    reach: arm.reach[1],
    tip: (q) => tipOf(from, q),
    jacobian: (q) => jacobian(from, q),
    held: (q) => held(arm, q),
  };
}

/** Turning joint k moves the tip at right angles to the line from the joint to it. */
function jacobian(arm: Arm, q: readonly number[]): number[][] {
  const found = places(arm, q);
  const [x, y] = [at(found, 2 * arm.n), at(found, 2 * arm.n + 1)];
  const joints = arm.lengths.map((_, k) => k);
  return [joints.map((k) => at(found, 2 * k + 1) - y), joints.map((k) => x - at(found, 2 * k))];
}
