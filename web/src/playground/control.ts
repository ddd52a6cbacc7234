/**
 * What a controller asks of the motors, from what is measured and what is wanted.
 *
 *     PD                    τ = K (q_ref − q) + D (q̇_ref − q̇)
 *     gravity compensation  τ += G(q)
 *     computed torque       τ = M(q) a + C q̇ + G + b q̇,   a = q̈_ref + 2 ζ ω (q̇_ref − q̇) + ω² (q_ref − q)
 *     open loop             τ = inverse dynamics of the reference, nothing measured
 */

import { at } from "../interpolate";
import type { Mechanism, Vector } from "./models";

/** Ticks of the controller a second. */
export const CONTROL_RATE = 1000;

export const LAWS = ["off", "pd", "computed-torque", "open-loop"] as const;
export type Law = (typeof LAWS)[number];

export interface ControlSettings {
  law: Law;
  /** Whether G(q) is added; computed torque has it in any case. */
  gravity: boolean;
  /** Gains of PD, one a joint: [N·m/rad], [N·m·s/rad]. */
  kp: readonly number[];
  kd: readonly number[];
  /** Of computed torque: ω [rad/s] and ζ. */
  frequency: number;
  dampingRatio: number;
}

/** Where the joints should be, how fast, and how they should speed up. */
export interface Reference {
  q: readonly number[];
  qd: readonly number[];
  qdd: readonly number[];
}

export function isActive(settings: ControlSettings): boolean {
  return settings.law !== "off" || settings.gravity;
}

/** Torque that the settings ask for, before any limit. */
export function controlTorque({ model, letters }: Mechanism, settings: ControlSettings, q: Vector, qd: Vector, reference: Reference): Vector {
  const { law } = settings;
  if (law === "open-loop") return model.inverseDynamics(letters, reference.q, reference.qd, reference.qdd);
  if (law === "computed-torque") {
    const { frequency, dampingRatio } = settings;
    const wanted = q.map((angle, i) => {
      const [error, errorRate] = [at(reference.q, i) - angle, at(reference.qd, i) - at(qd, i)];
      return at(reference.qdd, i) + 2 * dampingRatio * frequency * errorRate + frequency * frequency * error;
    });
    return model.inverseDynamics(letters, q, qd, wanted);
  }
  const tau = settings.gravity ? model.gravityTorque(letters, q) : q.map(() => 0);
  if (law === "off") return tau;
  return tau.map((torque, i) => {
    const [error, errorRate] = [at(reference.q, i) - at(q, i), at(reference.qd, i) - at(qd, i)];
    return torque + at(settings.kp, i) * error + at(settings.kd, i) * errorRate;
  });
}

/**
 * Gains of PD for this arm: those of ω at the inertia that each joint carries when the arm is stretched out,
 * without overshoot. They have two digits, as a person would choose them.
 */
export function suggestedGains({ model, letters }: Mechanism, frequency: number): { kp: number[]; kd: number[] } {
  const inertia = model.massMatrix(letters, new Array<number>(model.links).fill(0)).map((row, i) => at(row, i));
  const round = (value: number): number => Number(value.toPrecision(2));
  return {
    kp: inertia.map((each) => round(each * frequency * frequency)),
    kd: inertia.map((each) => round(2 * each * frequency)),
  };
}
