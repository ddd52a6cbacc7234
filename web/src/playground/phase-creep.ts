/**
 * The slow motion of a joint with much damping.
 *
 * Where b/M is many times the frequency of small swings, a joint loses its own speed at once and creeps with the
 * w(q) at which q̇ = w stays true. From q̈ = f − βq̇, with f = (τ − G)/M and β = b/M, that is
 *
 *     w w′ = f − β w,        w = f / (β + w′)
 *
 * repeated from w = f/β on. Each round gains a factor (ω/β)², and needs one derivative more, so that series in q
 * carry it: f is a sinusoid, whose derivatives are known.
 */

import { at } from "../interpolate";

/** b/(M ω) from which a joint is said to creep; here the series is good to a ten millionth. */
export const CREEPING = 8;
const ROUNDS = 8;

/** What a flow has that matters here. */
export interface Creeping {
  readonly torque: number;
  readonly inertia: number;
  readonly damping: number;
  readonly weight: number;
  readonly level: number;
}

/** The speed [rad/s] with which a joint creeps through an angle. */
export function creepSpeed({ torque, inertia, damping, weight, level }: Creeping, q: number): number {
  const beta = damping / inertia;
  const drive = driveSeries(torque / inertia, weight / inertia, q - level);
  let speed = drive.map((value) => value / beta);
  for (let k = 0; k < ROUNDS; k++) {
    const resist = speed.slice(1).map((value, i) => (i + 1) * value);
    resist[0] = beta + at(resist, 0);
    speed = quotient(drive, resist);
  }
  return at(speed, 0);
}

/** Taylor coefficients of f = a − g cos x. */
function driveSeries(a: number, g: number, x: number): number[] {
  const [cos, sin] = [Math.cos(x), Math.sin(x)];
  const cycle = [-cos, sin, cos, -sin];
  let factorial = 1;
  return Array.from({ length: ROUNDS + 1 }, (_, k) => {
    if (k > 0) factorial *= k;
    return (g * at(cycle, k % 4)) / factorial + (k === 0 ? a : 0);
  });
}

/** Of two power series, as far as the second goes. */
function quotient(over: readonly number[], under: readonly number[]): number[] {
  const result: number[] = [];
  for (let k = 0; k < under.length; k++) {
    let sum = at(over, k);
    for (let i = 0; i < k; i++) sum -= at(result, i) * at(under, k - i);
    result.push(sum / at(under, 0));
  }
  return result;
}
