/**
 * The arm in motion: 4,000 Runge–Kutta steps a second of the generated code, a controller at a quarter of that rate.
 *
 * Time is counted in whole steps, so that a slow machine drops frames and never time. Beside the arm a companion may
 * move: the same arm driven open loop, or by the sequential model of Bechard and Ivanov, in which every joint sees what lies beyond
 * it as frozen: θ̈ = (τ − G − b θ̇) / diag(M), with absolute angles θ.
 */

import { at } from "../interpolate";
import { CONTROL_RATE, controlTorque, isActive, type ControlSettings, type Reference } from "./control";
import { impulseResponse, torqueOfForce, type Mechanism, type Vector } from "./models";
import { reachOf, totalMass } from "./numbers";
import type { Trajectory } from "./trajectory";

export const RATE = 4000;
const STEP = 1 / RATE;
const STEPS_A_TICK = RATE / CONTROL_RATE;
/** Rates beyond this [rad/s] are of no arm: the numbers ran away. */
const FASTEST = 1e5;

export type CompanionKind = "none" | "sequential" | "open-loop";

/** A pointer that pulls at a point of a link, as by a spring with a damper. */
export interface Pull {
  /** Which link, from 0, and where on it, along and to its left [m]. */
  link: number;
  along: number;
  aside: number;
  /** Where it pulls to [m]. */
  x: number;
  y: number;
}

export interface Energies {
  kinetic: number;
  potential: number;
}

interface Companion {
  kind: CompanionKind;
  q: Vector;
  qd: Vector;
  tau: Vector;
}

export class Simulation {
  #mechanism: Mechanism;
  #steps = 0;
  /** Seconds that have passed and are not yet simulated. */
  #due = 0;
  q: Vector;
  qd: Vector;
  /** What the motors give, and what they were asked for [N·m]. */
  tau: Vector;
  demand: Vector;
  /** Torques that are added to the controller's [N·m]. */
  torque: Vector;
  control: ControlSettings;
  setPoint: Vector;
  trajectory: Trajectory | null = null;
  /** When the trajectory began [s]. */
  trajectoryStart = 0;
  pull: Pull | null = null;
  companion: Companion | null = null;
  /** Whether the numbers ran away; nothing moves from then on. */
  diverged = false;
  /** Energy when last something worked on the arm, and the largest kinetic energy since [J]. */
  #reference = Number.NaN;
  #peak = 0;

  constructor(mechanism: Mechanism, q: Vector, qd: Vector, torque: Vector, control: ControlSettings) {
    this.#mechanism = mechanism;
    this.q = q.slice();
    this.qd = qd.slice();
    this.torque = torque.slice();
    this.control = control;
    this.setPoint = q.slice();
    this.tau = q.map(() => 0);
    this.demand = this.tau;
  }

  get mechanism(): Mechanism {
    return this.#mechanism;
  }

  /** Go on with other numbers for the same joints. */
  set mechanism(mechanism: Mechanism) {
    this.#mechanism = mechanism;
    this.disturbed();
  }

  /** Simulated time [s]. */
  get time(): number {
    return this.#steps / RATE;
  }

  /** Simulate what has passed [s], in whole steps: what is left over comes next time. */
  advance(seconds: number): void {
    this.#due += Math.max(0, seconds);
    const steps = Math.floor(this.#due * RATE + 1e-9);
    this.#due -= steps / RATE;
    for (let i = 0; i < steps && !this.diverged; i++) this.step();
  }

  /** One step of the integrator. */
  step(): void {
    if (this.#steps % STEPS_A_TICK === 0) this.#tick();
    const { model, letters } = this.#mechanism;
    const tau = this.pull ? this.#pulled(this.pull) : this.tau;
    const [q, qd] = model.step(letters, this.q, this.qd, tau, STEP);
    if (!qd.every((rate) => Math.abs(rate) < FASTEST)) {
      this.diverged = true;
      return;
    }
    [this.q, this.qd] = [q, qd];
    this.#stop();
    if (this.companion) this.#stepCompanion(this.companion);
    this.#steps += 1;
  }

  /** Where the joints should be now. */
  reference(): Reference {
    if (this.trajectory) return this.trajectory.at(this.time - this.trajectoryStart);
    const rest = this.setPoint.map(() => 0);
    return { q: this.setPoint, qd: rest, qdd: rest };
  }

  /** Follow a path from now on. */
  follow(trajectory: Trajectory): void {
    this.trajectory = trajectory;
    this.trajectoryStart = this.time;
  }

  /** Hit a point of a link with an impulse (px, py) [N·s]. */
  poke(link: number, x: number, y: number, px: number, py: number): void {
    const torques = torqueOfForce(this.#mechanism, this.q, link, x, y, px, py);
    this.qd = impulseResponse(this.#mechanism, this.q, torques).map((jump, i) => at(this.qd, i) + jump);
    this.disturbed();
  }

  /** Move beside the arm what it is compared with, from the same state. */
  compare(kind: CompanionKind): void {
    this.companion = kind === "none" ? null : { kind, q: this.q.slice(), qd: this.qd.slice(), tau: this.tau.slice() };
  }

  energies(): Energies {
    const { model, letters } = this.#mechanism;
    return { kinetic: model.kineticEnergy(letters, this.q, this.qd), potential: model.potentialEnergy(letters, this.q) };
  }

  /** Whether nothing works on the arm, so that its energy should stay: no torque, no damping, no pointer. */
  get isFree(): boolean {
    const { joints } = this.#mechanism.arm;
    return !this.pull && !isActive(this.control) && this.torque.every((torque) => torque === 0) && joints.every((joint) => joint.damping === 0);
  }

  /** How far the energy of a free arm has drifted, in shares of the largest kinetic energy; null where it may change, and before it moves. */
  drift({ kinetic, potential }: Energies): number | null {
    if (!this.isFree) {
      this.disturbed();
      return null;
    }
    if (Number.isNaN(this.#reference)) this.#reference = kinetic + potential;
    this.#peak = Math.max(this.#peak, kinetic);
    return this.#peak > 0 ? Math.abs(kinetic + potential - this.#reference) / this.#peak : null;
  }

  /** Count the energy's drift anew. */
  disturbed(): void {
    this.#reference = Number.NaN;
    this.#peak = 0;
  }

  #tick(): void {
    this.demand = this.#asked(this.control, this.q, this.qd);
    this.tau = this.demand.map((torque, i) => this.#limited(torque, i));
    const { companion } = this;
    if (!companion) return;
    // The sequential arm has a controller of its own; open loop nothing is measured.
    const settings: ControlSettings = companion.kind === "open-loop" ? { ...this.control, law: "open-loop" } : this.control;
    companion.tau = this.#asked(settings, companion.q, companion.qd).map((torque, i) => this.#limited(torque, i));
  }

  /** What a controller and the constant torques come to. */
  #asked(settings: ControlSettings, q: Vector, qd: Vector): Vector {
    if (!isActive(settings)) return this.torque;
    return controlTorque(this.#mechanism, settings, q, qd, this.reference()).map((torque, i) => torque + at(this.torque, i));
  }

  #limited(torque: number, joint: number): number {
    const most = this.#mechanism.arm.joints[joint]?.maxTorque ?? null;
    return most === null ? torque : Math.min(most, Math.max(-most, torque));
  }

  /** Torques of motors and pointer. The spring is as stiff as moves the whole arm within a quarter of a second. */
  #pulled(pull: Pull): Vector {
    const { model, letters, arm } = this.#mechanism;
    const places = model.joints(letters, this.q);
    const [from, to] = [places[pull.link] as Vector, places[pull.link + 1] as Vector];
    const length = Math.hypot(at(to, 0) - at(from, 0), at(to, 1) - at(from, 1)) || 1;
    const [cos, sin] = [(at(to, 0) - at(from, 0)) / length, (at(to, 1) - at(from, 1)) / length];
    const x = at(from, 0) + pull.along * cos - pull.aside * sin;
    const y = at(from, 1) + pull.along * sin + pull.aside * cos;
    const [vx, vy] = this.#velocity(places, pull.link, x, y);
    const mass = totalMass(arm);
    const stiffness = mass * 150;
    const damping = mass * 8;
    const most = 40 * mass * Math.max(9.81, reachOf(arm));
    let [fx, fy] = [stiffness * (pull.x - x) - damping * vx, stiffness * (pull.y - y) - damping * vy];
    const size = Math.hypot(fx, fy);
    if (size > most) [fx, fy] = [(fx * most) / size, (fy * most) / size];
    const pulled = torqueOfForce(this.#mechanism, this.q, pull.link, x, y, fx, fy);
    return this.tau.map((torque, i) => torque + at(pulled, i));
  }

  /** Velocity of a point of a link: every joint before it turns the point about itself. */
  #velocity(places: readonly Vector[], link: number, x: number, y: number): [number, number] {
    let [vx, vy] = [0, 0];
    for (let k = 0; k <= link; k++) {
      const place = places[k] as Vector;
      vx -= (y - at(place, 1)) * at(this.qd, k);
      vy += (x - at(place, 0)) * at(this.qd, k);
    }
    return [vx, vy];
  }

  /** Joints that meet their limits stop there, by an impulse between the two links. */
  #stop(): void {
    this.#mechanism.arm.joints.forEach((joint, i) => {
      const [angle, rate] = [at(this.q, i), at(this.qd, i)];
      const low = joint.lower !== null && angle < joint.lower && rate < 0;
      const high = joint.upper !== null && angle > joint.upper && rate > 0;
      if (!low && !high) return;
      this.disturbed();
      this.q[i] = (low ? joint.lower : joint.upper) as number;
      const answer = impulseResponse(this.#mechanism, this.q, this.q.map((_, k) => Number(k === i)));
      const size = -rate / at(answer, i);
      this.qd = this.qd.map((each, k) => (k === i ? 0 : each + size * at(answer, k)));
    });
  }

  #stepCompanion(companion: Companion): void {
    const { model, letters } = this.#mechanism;
    const stepped =
      companion.kind === "sequential"
        ? sequentialStep(this.#mechanism, companion.q, companion.qd, companion.tau, STEP)
        : model.step(letters, companion.q, companion.qd, companion.tau, STEP);
    if (stepped[1].every((rate) => Math.abs(rate) < FASTEST)) [companion.q, companion.qd] = stepped;
    else this.companion = null;
  }
}

/** A step of the sequential model by the classical Runge–Kutta method, in relative angles and rates. */
export function sequentialStep(mechanism: Mechanism, q: Vector, qd: Vector, tau: Vector, dt: number): [Vector, Vector] {
  const [theta, rate] = [absolute(q), absolute(qd)];
  const plus = (one: Vector, other: Vector, by: number): Vector => one.map((value, i) => value + by * at(other, i));
  const derivative = (angles: Vector, rates: Vector): Vector => sequentialAccelerations(mechanism, angles, rates, tau);
  const k1 = derivative(theta, rate);
  const v2 = plus(rate, k1, dt / 2);
  const k2 = derivative(plus(theta, rate, dt / 2), v2);
  const v3 = plus(rate, k2, dt / 2);
  const k3 = derivative(plus(theta, v2, dt / 2), v3);
  const v4 = plus(rate, k3, dt);
  const k4 = derivative(plus(theta, v3, dt), v4);
  const mean = (a: Vector, b: Vector, c: Vector, d: Vector, i: number): number => (at(a, i) + 2 * at(b, i) + 2 * at(c, i) + at(d, i)) / 6;
  const next = theta.map((angle, i) => angle + dt * mean(rate, v2, v3, v4, i));
  const nextRate = rate.map((each, i) => each + dt * mean(k1, k2, k3, k4, i));
  return [relative(next), relative(nextRate)];
}

function sequentialAccelerations({ model, letters, arm }: Mechanism, theta: Vector, rate: Vector, tau: Vector): Vector {
  const q = relative(theta);
  const mass = model.massMatrix(letters, q);
  const weight = model.gravityTorque(letters, q);
  return tau.map((torque, i) => (torque - at(weight, i) - (arm.joints[i]?.damping ?? 0) * at(rate, i)) / at(mass[i] as Vector, i));
}

function absolute(q: Vector): Vector {
  let sum = 0;
  return q.map((angle) => (sum += angle));
}

function relative(theta: Vector): Vector {
  return theta.map((angle, i) => angle - (i > 0 ? at(theta, i - 1) : 0));
}
