/**
 * The equations of motion, as `ulna derive` writes them in JavaScript.
 *
 * A page carries one model for each number of links, 1 to 4, in `ulnaModels`: generated code, in relative joint
 * angles, of any bodies with a payload, rotors, damping and gravity in any direction. Nothing here restates
 * physics; what is not in the generated code is put together from it.
 */

import { at } from "../interpolate";
import type { ArmNumbers } from "./numbers";

export type Vector = number[];
export type Matrix = number[][];
/** Values of the letters of a model: l1, m1, …, gammay. */
export type Letters = Readonly<Record<string, number>>;

/** What a generated model offers; arrays have one entry a joint. */
export interface Model {
  readonly links: number;
  readonly letters: readonly string[];
  /** Positions of base, joints and tip, (n + 1) × 2. */
  joints(arm: Letters, q: ArrayLike<number>): Matrix;
  /** x, y and angle of the tip. */
  tip(arm: Letters, q: ArrayLike<number>): Vector;
  /** Of x, y and angle of the tip, 3 × n. */
  jacobian(arm: Letters, q: ArrayLike<number>): Matrix;
  massMatrix(arm: Letters, q: ArrayLike<number>): Matrix;
  coriolisMatrix(arm: Letters, q: ArrayLike<number>, qd: ArrayLike<number>): Matrix;
  gravityTorque(arm: Letters, q: ArrayLike<number>): Vector;
  inverseDynamics(arm: Letters, q: ArrayLike<number>, qd: ArrayLike<number>, qdd: ArrayLike<number>): Vector;
  forwardDynamics(arm: Letters, q: ArrayLike<number>, qd: ArrayLike<number>, tau: ArrayLike<number>): Vector;
  kineticEnergy(arm: Letters, q: ArrayLike<number>, qd: ArrayLike<number>): number;
  potentialEnergy(arm: Letters, q: ArrayLike<number>): number;
  /** q and qd after dt by the classical Runge–Kutta method, the torque held. */
  step(arm: Letters, q: ArrayLike<number>, qd: ArrayLike<number>, tau: ArrayLike<number>, dt: number): [Vector, Vector];
  /** Of two links only: the joint angles for a tip, or null out of reach. */
  inverseKinematics?(arm: Letters, x: number, y: number, branch?: 1 | -1): Vector | null;
}

declare global {
  // eslint-disable-next-line no-var -- a classic script of the page sets it
  var ulnaModels: Readonly<Record<number, Model>>;
}

export function modelFor(links: number): Model {
  const model = globalThis.ulnaModels[links];
  if (!model) throw new RangeError(`there is no model of ${links} links`);
  return model;
}

/** The numbers of an arm by the letters that a model has for them. */
export function lettersOf(arm: ArmNumbers): Letters {
  const letters: Record<string, number> = { mP: arm.payload, gammax: at(arm.gravity, 0), gammay: at(arm.gravity, 1) };
  arm.links.forEach((link, i) => {
    const joint = arm.joints[i];
    const last = i === arm.links.length - 1;
    letters[`l${i + 1}`] = link.length;
    letters[`m${i + 1}`] = link.mass;
    letters[`c${i + 1}`] = link.com;
    letters[`d${i + 1}`] = link.comOffset;
    letters[`I${i + 1}`] = link.inertia + (last ? arm.payloadInertia : 0);
    letters[`p${i + 1}`] = link.tipMass;
    letters[`J${i + 1}`] = joint?.rotorInertia ?? 0;
    letters[`N${i + 1}`] = joint?.gearRatio ?? 1;
    letters[`b${i + 1}`] = joint?.damping ?? 0;
  });
  // An object that is filled key by key is a hash table to V8, its copy is a record: steps take half as long.
  return { ...letters };
}

/** An arm with its model and letters. */
export interface Mechanism {
  readonly arm: ArmNumbers;
  readonly model: Model;
  readonly letters: Letters;
}

export function mechanismOf(arm: ArmNumbers): Mechanism {
  return { arm, model: modelFor(arm.links.length), letters: lettersOf(arm) };
}

/** Joint torques of a force (fx, fy) that acts on a point (x, y) of link `link`, counted from 0. */
export function torqueOfForce({ model, letters }: Mechanism, q: ArrayLike<number>, link: number, x: number, y: number, fx: number, fy: number): Vector {
  const places = model.joints(letters, q);
  return Array.from({ length: model.links }, (_, k) => {
    if (k > link) return 0;
    const [px, py] = places[k] as [number, number];
    return (x - px) * fy - (y - py) * fx;
  });
}

/** M⁻¹ τ: how the rates jump under an impulse, as the difference of two accelerations from rest. */
export function impulseResponse({ model, letters }: Mechanism, q: ArrayLike<number>, impulse: ArrayLike<number>): Vector {
  const rest = new Array<number>(model.links).fill(0);
  const without = model.forwardDynamics(letters, q, rest, rest);
  return model.forwardDynamics(letters, q, rest, impulse).map((qdd, i) => qdd - at(without, i));
}
