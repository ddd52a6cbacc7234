// Models as a page carries them, without their dynamics: kinematics of the plane, and a mass matrix that is the diagonal of the links' masses.

import type { Letters, Matrix, Model, Vector } from "../src/playground/models";

function lengths(arm: Letters, n: number): number[] {
  return Array.from({ length: n }, (_, i) => arm[`l${i + 1}`] ?? 1);
}

function absolute(q: ArrayLike<number>): number[] {
  let sum = 0;
  return Array.from(q, (angle) => (sum += angle));
}

function model(links: number): Model {
  const none = (): Vector => new Array<number>(links).fill(0);
  const joints = (arm: Letters, q: ArrayLike<number>): Matrix => {
    const places: Matrix = [[0, 0]];
    const phi = absolute(q);
    lengths(arm, links).forEach((length, i) => {
      const [x, y] = places[i] as [number, number];
      places.push([x + length * Math.cos(phi[i] as number), y + length * Math.sin(phi[i] as number)]);
    });
    return places;
  };
  const tip = (arm: Letters, q: ArrayLike<number>): Vector => [...(joints(arm, q)[links] as Vector), absolute(q)[links - 1] as number];
  return {
    links,
    letters: [],
    joints,
    tip,
    jacobian: (arm, q) => {
      const [x, y] = tip(arm, q) as [number, number];
      const places = joints(arm, q).slice(0, -1) as [number, number][];
      return [places.map((place) => place[1] - y), places.map((place) => x - place[0]), places.map(() => 1)];
    },
    massMatrix: (arm) => Array.from({ length: links }, (_, i) => none().map((zero, k) => (i === k ? (arm[`m${i + 1}`] ?? 1) : zero))),
    coriolisMatrix: () => Array.from({ length: links }, none),
    gravityTorque: none,
    inverseDynamics: none,
    forwardDynamics: none,
    kineticEnergy: (arm, _q, qd) => Array.from(qd).reduce((sum, rate, i) => sum + 0.5 * ((arm[`m${i + 1}`] ?? 1) + (arm[`p${i + 1}`] ?? 0)) * rate * rate, 0),
    potentialEnergy: () => 0,
    step: (_arm, q, qd) => [Array.from(q), Array.from(qd)],
    ...(links === 2 ? { inverseKinematics } : {}),
  };
}

function inverseKinematics(arm: Letters, x: number, y: number, branch: 1 | -1 = 1): Vector | null {
  const [a, b] = lengths(arm, 2) as [number, number];
  const cos = (x * x + y * y - a * a - b * b) / (2 * a * b);
  if (Math.abs(cos) > 1) return null;
  const bend = branch * Math.acos(cos);
  return [Math.atan2(y, x) - Math.atan2(b * Math.sin(bend), a + b * Math.cos(bend)), bend];
}

/** Give the page's code models of 1 to 4 links. */
export function stubModels(): void {
  globalThis.ulnaModels = { 1: model(1), 2: model(2), 3: model(3), 4: model(4) };
}
