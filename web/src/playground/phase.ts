/**
 * The phase portrait of one joint under a constant torque τ.
 *
 *     M q̈ = τ − b q̇ − G(q),        G(q) = Ĝ cos(q − δ)
 *
 * M, b and G are asked of the generated model; of one link the weight's torque is a sinusoid, so two values of it
 * are all of it. Equilibria are at q = δ ± acos(τ/Ĝ). There (q, q̇) obeys a matrix of trace −b/M and determinant
 * G′(q)/M, whose eigenvalues λ tell the kind; its eigenvectors are (1, λ).
 *
 * A separatrix is followed from beside its saddle, at q̇ = λx + x² f″/(2(3λ + b/M)) with f = (τ − G)/M, which
 * differs from it by x³; forwards along λ > 0, backwards along λ < 0.
 *
 * The running solution is the fixed point of the map P from a speed v to that a turn later. Areas of the phase
 * plane shrink by exp(−b/M t), so that P′(v) = v/P(v) · exp(−b/M T), which is what Newton's method needs.
 */

import { at } from "../interpolate";
import type { Mechanism } from "./models";
import { CREEPING, creepSpeed } from "./phase-creep";

export const TURN = 2 * Math.PI;
/** Step of the Runge–Kutta method, of the time of small swings: errors stay below a millionth of the picture. */
const STEP = 0.05;
/** How much sooner than a radian of small swings a joint loses its speed, forwards and backwards, for a step. */
const DECAY_FORWARDS = 1 / 12;
const DECAY_BACKWARDS = 1 / 3;
/** Of a frequency squared: less is as good as nothing. */
const ROUNDING = 1e-9;
/** From the saddle [rad], where a separatrix is begun. */
const ASIDE = 1e-4;
/** Nearer than this to an equilibrium, in radians and of small swings, an orbit has come to it. */
const ARRIVED = 2e-3;
/** How long orbits are followed: radians of small swings, and turns, which lie ever closer; and steps at most. */
const INCOMING = { swings: 24, turns: 12 };
const OUTGOING = { swings: 16, turns: 3 };
const TRAJECTORY = { swings: 26, turns: 6 };
const MOST_STEPS = 4000;
/** b/(M ω) above which nothing runs that could also rest; the limit is 1.19. */
const NEVER_RUNS = 1.2;
/** Of small swings: a slower way out of a saddle is not followed to tell whether the joint runs. */
const LINGERING = 0.1;
/** Turns that may not be completed while the running solution is sought. */
const MOST_FAILURES = 3;
/** Of small swings: what a picture shows at least, and the fastest running solution for whose sake it shows more. */
const SHOWN = 2.4;
const SHOWN_RUNNING = 8;
const MARGIN = 1.12;
/** Points of a turn of a creeping joint. */
const CREEP_POINTS = 128;
const NICE = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];

export type Kind = "saddle" | "centre" | "degenerate" | "stable focus" | "stable node" | "unstable focus" | "unstable node";

export interface Equilibrium {
  /** In −π … π [rad]. */
  readonly angle: number;
  readonly kind: Kind;
  /** Real parts of the eigenvalues [1/s], the larger first. */
  readonly rates: readonly [number, number];
}

/** Angles are not wrapped; times of an orbit that is followed backwards fall. */
export interface Orbit {
  readonly t: number[];
  readonly q: number[];
  readonly qd: number[];
}

export interface Separatrix {
  readonly saddle: Equilibrium;
  /** Whether it ends in the saddle. */
  readonly incoming: boolean;
  /** 1 where it leaves or comes at larger angles. */
  readonly side: 1 | -1;
  readonly orbit: Orbit;
}

export interface Running {
  readonly direction: 1 | -1;
  /** Of a turn [s]. */
  readonly period: number;
  /** Over time, with its sign [rad/s]. */
  readonly mean: number;
  readonly fastest: number;
  /** One turn. */
  readonly orbit: Orbit;
}

export interface Flow {
  readonly mechanism: Mechanism;
  readonly torque: number;
  readonly inertia: number;
  readonly damping: number;
  /** Ĝ [N·m] and δ [rad]. */
  readonly weight: number;
  readonly level: number;
  /** Of small swings √(Ĝ/M); 1 rad/s without gravity. */
  readonly frequency: number;
}

export interface Portrait {
  readonly flow: Flow;
  readonly equilibria: readonly Equilibrium[];
  /** Whether the joint rests wherever it is: no torque, no gravity. */
  readonly restsAnywhere: boolean;
  readonly separatrices: readonly Separatrix[];
  readonly running: Running | null;
  /** Where the turn that is shown begins [rad]: opposite to where the arm hangs. */
  readonly left: number;
  /** Speeds from −fastest to fastest are shown [rad/s]. */
  readonly fastest: number;
}

/** An angle within −π … π. */
export function wrapAngle(angle: number): number {
  const turns = Math.round(angle / TURN);
  return turns === 0 ? angle : angle - turns * TURN;
}

export function flowOf(mechanism: Mechanism, torque: number): Flow {
  const { model, letters } = mechanism;
  const weigh = (q: number): number => at(model.gravityTorque(letters, [q]), 0);
  const [along, across] = [weigh(0), weigh(Math.PI / 2)];
  const [weight, level] = [Math.hypot(along, across), Math.atan2(across, along)];
  const inertia = at(model.massMatrix(letters, [0])[0] ?? [], 0);
  // where the weight has no torque, so that nothing is lost in the difference
  const resist = (qd: number): number => at(model.inverseDynamics(letters, [level + Math.PI / 2], [qd], [0]), 0);
  const damping = resist(1) - resist(0);
  return { mechanism, torque, inertia, damping, weight, level, frequency: Math.sqrt(weight / inertia) || 1 };
}

/** Whether the numbers are those of a joint at all. */
function isSound(flow: Flow): boolean {
  return flow.inertia > 0 && [flow.inertia, flow.damping, flow.weight, flow.torque].every(Number.isFinite);
}

export function equilibriaOf(flow: Flow): Equilibrium[] {
  const { torque, weight, level } = flow;
  if (weight === 0 || Math.abs(torque) > weight * (1 + ROUNDING * ROUNDING)) return [];
  const aside = Math.atan2(Math.sqrt(Math.max(0, (weight - torque) * (weight + torque))), torque);
  const places = Math.sin(aside) <= ROUNDING ? [level + aside] : [level - aside, level + aside];
  return places.map((place) => equilibriumAt(flow, wrapAngle(place))).sort((a, b) => a.angle - b.angle);
}

function equilibriumAt(flow: Flow, angle: number): Equilibrium {
  const { inertia, frequency, weight, level } = flow;
  const trace = -flow.damping / inertia;
  const slope = (-weight * Math.sin(angle - level)) / inertia;
  const determinant = Math.abs(slope) <= ROUNDING * frequency ** 2 ? 0 : slope;
  const root = Math.sqrt(Math.max(0, trace ** 2 - 4 * determinant));
  return { angle, kind: kindOf(trace, determinant, frequency), rates: [(trace + root) / 2, (trace - root) / 2] };
}

function kindOf(trace: number, determinant: number, frequency: number): Kind {
  if (determinant === 0) return "degenerate";
  if (determinant < 0) return "saddle";
  if (Math.abs(trace) <= ROUNDING * frequency) return "centre";
  const shape = trace ** 2 * (1 + ROUNDING) < 4 * determinant ? "focus" : "node";
  return trace < 0 ? `stable ${shape}` : `unstable ${shape}`;
}

export function isStable({ kind }: Equilibrium): boolean {
  return kind === "centre" || kind.startsWith("stable");
}

/** Whether damping is so strong that a joint creeps where torque and weight would drive it. */
function creeps(flow: Flow): boolean {
  return flow.weight > 0 && flow.damping > CREEPING * flow.inertia * flow.frequency;
}

/** How long a step may be at a speed [s], negative backwards. */
function stepAt(flow: Flow, qd: number, sign: 1 | -1): number {
  const decay = (flow.damping / flow.inertia) * (sign > 0 ? DECAY_FORWARDS : DECAY_BACKWARDS);
  return (sign * STEP) / (flow.frequency + Math.abs(decay) + Math.abs(qd) / 2);
}

interface FollowOptions {
  readonly sign?: 1 | -1;
  /** [s] */
  readonly duration: number;
  /** Whether an orbit ends at this state, which is its last. */
  readonly until: (q: number, qd: number) => boolean;
}

/** The orbit through a state, by the model's own step. */
function follow(flow: Flow, q: number, qd: number, { sign = 1, duration, until }: FollowOptions): Orbit {
  const { mechanism, torque } = flow;
  const orbit: Orbit = { t: [0], q: [q], qd: [qd] };
  const tau = [torque];
  let state: [number[], number[]] = [[q], [qd]];
  let time = 0;
  for (let k = 0; k < MOST_STEPS && Math.abs(time) < duration; k++) {
    const dt = stepAt(flow, at(state[1], 0), sign);
    state = mechanism.model.step(mechanism.letters, state[0], state[1], tau, dt);
    time += dt;
    const [here, speed] = [at(state[0], 0), at(state[1], 0)];
    if (!Number.isFinite(here + speed)) break;
    orbit.t.push(time);
    orbit.q.push(here);
    orbit.qd.push(speed);
    if (until(here, speed)) break;
  }
  return orbit;
}

/** Whether a state is as good as at one of the equilibria. */
function arrival(flow: Flow, equilibria: readonly Equilibrium[], within = ARRIVED): (q: number, qd: number) => boolean {
  const limit = within * flow.frequency;
  return (q, qd) => Math.abs(qd) < limit && equilibria.some((one) => Math.abs(wrapAngle(q - one.angle)) < within);
}

export function separatricesOf(flow: Flow, equilibria: readonly Equilibrium[], fastest: number): Separatrix[] {
  return equilibria
    .filter((one) => one.kind === "saddle")
    .flatMap((saddle) =>
      [true, false].flatMap((incoming) =>
        ([1, -1] as const).map((side) => ({ saddle, incoming, side, orbit: manifold(flow, equilibria, saddle, incoming, side, fastest) })),
      ),
    );
}

function manifold(flow: Flow, equilibria: readonly Equilibrium[], saddle: Equilibrium, incoming: boolean, side: 1 | -1, fastest: number): Orbit {
  if (!incoming && creeps(flow)) return creepFrom(flow, equilibria, saddle.angle, side);
  const rate = saddle.rates[incoming ? 1 : 0];
  const [q, qd] = besideSaddle(flow, saddle, rate, side * ASIDE);
  const leaving = Math.log(1 / ASIDE) / Math.abs(rate);
  const near = arrival(flow, equilibria);
  const { swings, turns } = incoming ? INCOMING : OUTGOING;
  let left = false;
  return follow(flow, q, qd, {
    sign: incoming ? -1 : 1,
    duration: leaving + swings / flow.frequency,
    until: (angle, speed) => {
      const arrived = near(angle, speed);
      left ||= !arrived;
      return (left && arrived) || Math.abs(speed) > fastest || Math.abs(angle - q) > turns * TURN;
    },
  });
}

function besideSaddle(flow: Flow, saddle: Equilibrium, rate: number, aside: number): [number, number] {
  const { weight, level, inertia, damping } = flow;
  const curve = (weight * Math.cos(saddle.angle - level)) / inertia / 2;
  return [saddle.angle + aside, aside * (rate + (aside * curve) / (3 * rate + damping / inertia))];
}

/** The next angle at which a creeping joint rests on the way `side`; a turn on where it does not. */
function creepEnd(equilibria: readonly Equilibrium[], q: number, side: 1 | -1): number {
  const ways = equilibria.filter(isStable).map((one) => (((side * (one.angle - q)) % TURN) + TURN) % TURN);
  return q + side * Math.min(TURN, ...ways);
}

/** A creeping joint from an angle on, until it rests or has made a turn. */
function creepFrom(flow: Flow, equilibria: readonly Equilibrium[], q: number, side: 1 | -1): Orbit {
  const end = creepEnd(equilibria, q, side);
  const count = 2 + Math.ceil((CREEP_POINTS * Math.abs(end - q)) / TURN);
  const orbit: Orbit = { t: [], q: [], qd: [] };
  let time = 0;
  for (let k = 0; k < count; k++) {
    const angle = q + ((end - q) * k) / (count - 1);
    const speed = creepSpeed(flow, angle);
    if (k > 0) time += (2 * (angle - at(orbit.q, k - 1))) / (speed + at(orbit.qd, k - 1));
    orbit.t.push(time);
    orbit.q.push(angle);
    orbit.qd.push(speed);
  }
  return orbit;
}

/** What the joint does from a start, as far as it is shown. */
export function trajectoryOf({ flow, equilibria, fastest }: Pick<Portrait, "flow" | "equilibria" | "fastest">, q: number, qd: number): Orbit {
  const arrived = arrival(flow, equilibria);
  const slow = creeps(flow);
  const onCreep = (angle: number, speed: number): boolean => slow && Math.abs(speed - creepSpeed(flow, angle)) < ARRIVED * flow.frequency;
  const gone = (angle: number, speed: number): boolean => Math.abs(speed) > 1.5 * fastest || Math.abs(angle - q) > TRAJECTORY.turns * TURN;
  const orbit = follow(flow, q, qd, {
    duration: TRAJECTORY.swings / flow.frequency,
    until: (angle, speed) => gone(angle, speed) || arrived(angle, speed) || onCreep(angle, speed),
  });
  const [angle, speed] = [at(orbit.q, orbit.q.length - 1), at(orbit.qd, orbit.qd.length - 1)];
  if (!onCreep(angle, speed)) return orbit;
  const rest = creepFrom(flow, equilibria, angle, creepSpeed(flow, angle) < 0 ? -1 : 1);
  const begun = at(orbit.t, orbit.t.length - 1);
  return { t: [...orbit.t, ...rest.t.map((t) => begun + t)], q: [...orbit.q, ...rest.q], qd: [...orbit.qd, ...rest.qd] };
}

/** The solution that runs for ever, with the torque; null where there is none, or where a turn takes too long to follow. */
export function runningSolution(flow: Flow, equilibria: readonly Equilibrium[]): Running | null {
  const { torque, damping, weight, level, inertia, frequency } = flow;
  if (torque === 0 || !(damping > 0)) return null;
  if (equilibria.length > 0 && damping > NEVER_RUNS * inertia * frequency) return null;
  const direction = torque > 0 ? 1 : -1;
  // where torque and weight drive it most: the joint is far from its slowest
  const section = direction > 0 ? level + Math.PI : level;
  if (creeps(flow)) return measured(direction, creepFrom(flow, equilibria, section, direction));
  const low = weight === 0 ? 0 : firstPassage(flow, equilibria, section, direction);
  if (low === null) return null;
  const orbit = closedOrbit(flow, equilibria, section, direction, low);
  return orbit && measured(direction, orbit);
}

/** The least speed with which a joint that runs passes an angle: that of the orbit from the saddle, 0 without one. */
function firstPassage(flow: Flow, equilibria: readonly Equilibrium[], section: number, direction: 1 | -1): number | null {
  if (equilibria.length === 0) return 0;
  const saddle = equilibria.find((one) => one.kind === "saddle");
  // at a torque of as good as the whole weight: an orbit would take for ever to leave, and so little damping lets it run
  if (!saddle || saddle.rates[0] < LINGERING * flow.frequency) return 0;
  const [q, qd] = besideSaddle(flow, saddle, saddle.rates[0], direction * ASIDE);
  const way = (((direction * (section - q)) % TURN) + TURN) % TURN;
  const passage = passTo(flow, equilibria, q, qd, direction, way);
  const speed = passage && Math.abs(at(passage.qd, passage.qd.length - 1));
  return speed && passTo(flow, equilibria, section, direction * speed, direction, TURN) ? speed : null;
}

/** Solve P(v) = v above a speed that grows. */
function closedOrbit(flow: Flow, equilibria: readonly Equilibrium[], section: number, direction: 1 | -1, least: number): Orbit | null {
  let [low, high] = [least, Infinity];
  let failures = 0;
  let speed = Math.max(Math.abs(flow.torque) / flow.damping, 1.0001 * least);
  for (let k = 0; k < 30; k++) {
    const orbit = passTo(flow, equilibria, section, direction * speed, direction, TURN);
    const after = orbit ? Math.abs(at(orbit.qd, orbit.qd.length - 1)) : 0;
    const gain = after - speed;
    if (!orbit && ++failures > MOST_FAILURES) return null;
    if (orbit && Math.abs(gain) < 1e-11 * speed) return orbit;
    if (gain < 0 && orbit) high = speed;
    else low = speed;
    const period = orbit ? at(orbit.t, orbit.t.length - 1) : 0;
    const slope = (speed / after) * Math.exp((-flow.damping / flow.inertia) * period);
    const next = speed - gain / (slope - 1);
    speed = next > low && next < high ? next : high < Infinity ? (low + high) / 2 : 2 * speed;
  }
  return null;
}

/** The orbit over an angle `way`, to its very end; null if the joint turns back, rests or takes too long. */
function passTo(flow: Flow, equilibria: readonly Equilibrium[], q: number, qd: number, direction: 1 | -1, way: number): Orbit | null {
  const arrived = arrival(flow, equilibria, ASIDE / 2);
  const orbit = follow(flow, q, qd, {
    duration: Infinity,
    until: (angle, speed) => direction * (angle - q) >= way || direction * speed <= 0 || arrived(angle, speed),
  });
  const last = orbit.q.length - 1;
  if (direction * (at(orbit.q, last) - q) < way || direction * at(orbit.qd, last) <= 0) return null;
  land(flow, orbit, q + direction * way);
  return orbit;
}

/** Shorten the last step so that it ends at an angle. */
function land({ mechanism, torque }: Flow, orbit: Orbit, end: number): void {
  const before = orbit.q.length - 2;
  const [q, qd] = [[at(orbit.q, before)], [at(orbit.qd, before)]];
  let dt = at(orbit.t, before + 1) - at(orbit.t, before);
  let [angle, speed] = [at(orbit.q, before + 1), at(orbit.qd, before + 1)];
  for (let k = 0; k < 4; k++) {
    dt -= (angle - end) / speed;
    const [place, rate] = mechanism.model.step(mechanism.letters, q, qd, [torque], dt);
    [angle, speed] = [at(place, 0), at(rate, 0)];
  }
  orbit.t[before + 1] = at(orbit.t, before) + dt;
  orbit.q[before + 1] = angle;
  orbit.qd[before + 1] = speed;
}

function measured(direction: 1 | -1, orbit: Orbit): Running {
  const period = at(orbit.t, orbit.t.length - 1);
  const fastest = orbit.qd.reduce((most, speed) => Math.max(most, Math.abs(speed)), 0);
  return { direction, period, mean: (direction * TURN) / period, fastest, orbit };
}

/** The speed that a picture goes to: separatrices and, if it is not far beyond them, the running solution; a round number. */
export function speedRange({ frequency, weight }: Flow, running: Running | null): number {
  const swings = SHOWN * frequency;
  const shown = running && (weight === 0 || running.fastest < SHOWN_RUNNING * frequency) ? running.fastest : 0;
  const least = Math.max(weight === 0 && shown > 0 ? 0 : swings, MARGIN * shown);
  const power = 10 ** Math.floor(Math.log10(least));
  return power * (NICE.find((nice) => nice * power >= least * (1 - 1e-9)) ?? 10);
}

/** All of it; `zoom` shows so many times slower speeds. */
export function portraitOf(mechanism: Mechanism, torque: number, zoom = 1): Portrait {
  const flow = flowOf(mechanism, torque);
  if (!isSound(flow)) {
    return { flow, equilibria: [], restsAnywhere: false, separatrices: [], running: null, left: -Math.PI, fastest: 1 };
  }
  const equilibria = equilibriaOf(flow);
  const running = runningSolution(flow, equilibria);
  const fastest = speedRange(flow, running) / zoom;
  return {
    flow,
    equilibria,
    restsAnywhere: flow.weight === 0 && torque === 0,
    separatrices: separatricesOf(flow, equilibria, fastest),
    running,
    // without gravity as if it pulled down
    left: (flow.weight > 0 ? wrapAngle(flow.level - Math.PI / 2) : -Math.PI / 2) - Math.PI,
    fastest,
  };
}

export interface FieldSample {
  readonly q: number;
  readonly qd: number;
  readonly qdd: number;
}

/** The vector field (q̇, q̈) in the middles of `columns` × `rows` equal cells. */
export function fieldOf({ flow, left, fastest }: Portrait, columns: number, rows: number): FieldSample[] {
  const { mechanism, torque } = flow;
  const samples: FieldSample[] = [];
  for (let i = 0; i < columns; i++) {
    for (let k = 0; k < rows; k++) {
      const q = left + ((i + 0.5) / columns) * TURN;
      const qd = fastest * ((2 * k + 1) / rows - 1);
      samples.push({ q, qd, qdd: at(mechanism.model.forwardDynamics(mechanism.letters, [q], [qd], [torque]), 0) });
    }
  }
  return samples;
}

/** An angle within the turn from `left` on. */
export function intoTurn(angle: number, left: number): number {
  return angle - TURN * Math.floor((angle - left) / TURN);
}

/** Points of an orbit within the turn from `left` on: it goes to the edge, a gap (NaN), and on from the other edge. */
export function unrolled(q: ArrayLike<number>, qd: ArrayLike<number>, left: number): { x: number[]; y: number[] } {
  const line: { x: number[]; y: number[] } = { x: [], y: [] };
  const add = (x: number, y: number): void => {
    line.x.push(x);
    line.y.push(y);
  };
  let turn = 0;
  for (let k = 0; k < q.length; k++) {
    const next = Math.floor((at(q, k) - left) / TURN);
    if (k > 0) crossSeams(q, qd, k, left, turn, next, add);
    turn = next;
    add(at(q, k) - next * TURN, at(qd, k));
  }
  return line;
}

function crossSeams(q: ArrayLike<number>, qd: ArrayLike<number>, k: number, left: number, from: number, to: number, add: (x: number, y: number) => void): void {
  const side = Math.sign(to - from);
  for (let turn = from; turn !== to && Math.abs(to - turn) < 100; turn += side) {
    const seam = left + TURN * (side > 0 ? turn + 1 : turn);
    const share = (seam - at(q, k - 1)) / (at(q, k) - at(q, k - 1));
    const speed = at(qd, k - 1) + share * (at(qd, k) - at(qd, k - 1));
    add(side > 0 ? left + TURN : left, speed);
    add(Number.NaN, Number.NaN);
    add(side > 0 ? left : left + TURN, speed);
  }
}
