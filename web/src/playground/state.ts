/** All that one has set up: it is what undo goes back to, and what an address carries after its #. */

import { leading } from "../text";
import { at } from "../interpolate";
import { LAWS, suggestedGains, type ControlSettings, type Law } from "./control";
import { mechanismOf } from "./models";
import { BOUNDS, FREE_JOINT, MOST_LINKS, rod, type ArmNumbers, type JointNumbers, type LinkNumbers } from "./numbers";
import type { CompanionKind } from "./simulation";
import type { PathShape, Point } from "./trajectory";

export interface PlayState {
  arm: ArmNumbers;
  q: readonly number[];
  qd: readonly number[];
  /** Constant torques of the motors [N·m]. */
  torque: readonly number[];
  control: ControlSettings;
  /** Where a controller holds the joints. */
  setPoint: readonly number[];
  path: PathShape | null;
  companion: CompanionKind;
  /** Seconds of motion in a second. */
  speed: number;
  /** Whether the last of three links keeps its angle while the tip is dragged. */
  orientationHeld: boolean;
}

/** Natural frequency of controllers that nobody has set yet [rad/s]. */
const FREQUENCY = 12;
/** Digits of a state in an address: as many as single precision has, and two more. An arm keeps all of its own. */
const DIGITS = 9;

/** An arm at rest in a posture, without any controller. */
export function stateOf(arm: ArmNumbers, q: readonly number[]): PlayState {
  const none = q.map(() => 0);
  return {
    arm,
    q,
    qd: none,
    torque: none,
    control: defaultControl(arm),
    setPoint: q,
    path: null,
    companion: "none",
    speed: 1,
    orientationHeld: false,
  };
}

export function defaultControl(arm: ArmNumbers): ControlSettings {
  return { law: "off", gravity: false, ...suggestedGains(mechanismOf(arm), FREQUENCY), frequency: FREQUENCY, dampingRatio: 1 };
}

function number(value: number): string {
  return String(Number(value.toPrecision(DIGITS)));
}

function list(values: readonly (number | null)[]): string {
  return values.map((value) => (value === null ? "" : number(value))).join(",");
}

function exact(values: readonly (number | null)[]): string {
  return values.map((value) => (value === null ? "" : String(value))).join(",");
}

type LinkKey = keyof LinkNumbers;
type JointKey = keyof JointNumbers;

/** The letters of an address: those of the equations where they have one. */
const LINK_KEYS: readonly [string, LinkKey][] = [["c", "com"], ["d", "comOffset"], ["I", "inertia"], ["p", "tipMass"]];
const JOINT_KEYS: readonly [string, JointKey][] = [
  ["b", "damping"], ["J", "rotorInertia"], ["N", "gearRatio"], ["max", "maxTorque"], ["lower", "lower"], ["upper", "upper"],
];

/** The state as the part of an address behind its #; what is as usual is left out. */
export function toFragment(state: PlayState): string {
  const { arm, control } = state;
  const parts: [string, string][] = [
    ["arm", arm.name],
    ["l", exact(arm.links.map((link) => link.length))],
    ["m", exact(arm.links.map((link) => link.mass))],
  ];
  const rods = arm.links.map((link) => rod(link.length, link.mass));
  for (const [name, key] of LINK_KEYS) {
    const values = arm.links.map((link) => link[key]);
    if (exact(values) !== exact(rods.map((link) => link[key]))) parts.push([name, exact(values)]);
  }
  for (const [name, key] of JOINT_KEYS) {
    const values = arm.joints.map((joint) => joint[key]);
    if (values.some((value) => value !== FREE_JOINT[key])) parts.push([name, exact(values)]);
  }
  parts.push(["g", exact(arm.gravity)]);
  if (arm.payload) parts.push(["P", String(arm.payload)]);
  if (arm.payloadInertia) parts.push(["PI", String(arm.payloadInertia)]);
  parts.push(["q", list(state.q)]);
  if (state.qd.some(Boolean)) parts.push(["qd", list(state.qd)]);
  if (state.torque.some(Boolean)) parts.push(["tau", list(state.torque)]);
  parts.push(...controlParts(control));
  if (list(state.setPoint) !== list(state.q)) parts.push(["to", list(state.setPoint)]);
  if (state.path) parts.push(["path", pathText(state.path)]);
  if (state.companion !== "none") parts.push(["beside", state.companion]);
  if (state.speed !== 1) parts.push(["speed", number(state.speed)]);
  if (state.orientationHeld) parts.push(["hold", "1"]);
  return parts.map(([name, value]) => `${name}=${encodeURIComponent(value).replaceAll("%2C", ",")}`).join("&");
}

function controlParts(control: ControlSettings): [string, string][] {
  return [
    ...(control.law === "off" ? [] : [["law", control.law] as [string, string]]),
    ...(control.gravity ? [["G", "1"] as [string, string]] : []),
    ["kp", list(control.kp)],
    ["kd", list(control.kd)],
    ["w", number(control.frequency)],
    ["z", number(control.dampingRatio)],
  ];
}

function pathText(path: PathShape): string {
  if (path.kind === "loops") return ["loops", ...[path.radius, path.loopRadius, path.loops, path.duration].map(number)].join(",");
  const places = path.points.flatMap(({ x, y }) => [x, y]);
  return ["stroke", number(path.speed), ...places.map((value) => String(Number(value.toPrecision(5))))].join(",");
}

/** What in an address cannot be understood. */
export class FragmentError extends Error {}

/** The state that an address carries, or null where it carries none. */
export function fromFragment(fragment: string): PlayState | null {
  const text = fragment.replace(/^#/, "");
  if (!/(^|&)l=/.test(text)) return null;
  const fields = new Map([...new URLSearchParams(text)]);
  const lengths = numbers(fields, "l");
  const n = lengths.length;
  if (n < 1 || n > MOST_LINKS) throw new FragmentError(`l: ${n} lengths, need 1 to ${MOST_LINKS}`);
  const arm = readArm(fields, lengths);
  const zeros = lengths.map(() => 0);
  const q = within("q", numbers(fields, "q", n, zeros), BOUNDS.angle);
  return {
    arm,
    q,
    qd: within("qd", numbers(fields, "qd", n, zeros), BOUNDS.any),
    torque: within("tau", numbers(fields, "tau", n, zeros), BOUNDS.torque),
    control: readControl(fields, arm),
    setPoint: within("to", numbers(fields, "to", n, q), BOUNDS.angle),
    path: readPath(fields.get("path")),
    companion: choice(fields, "beside", ["none", "sequential", "open-loop"], "none"),
    speed: bounded("speed", at(numbers(fields, "speed", 1, [1]), 0), 0.01, 8),
    orientationHeld: fields.get("hold") === "1",
  };
}

function readArm(fields: ReadonlyMap<string, string>, lengths: number[]): ArmNumbers {
  const n = lengths.length;
  const masses = numbers(fields, "m", n, lengths.map(() => 1));
  const rods = lengths.map((length, i) => rod(length, at(masses, i)));
  const linkRow = ([name, key]: [string, LinkKey]): number[] => numbers(fields, name, n, rods.map((link) => link[key]));
  const [com, comOffset, inertia, tipMass] = LINK_KEYS.map((pair) => linkRow([...pair])) as [number[], number[], number[], number[]];
  const rows = JOINT_KEYS.map(([name, key]) => maybeNumbers(fields, name, n, FREE_JOINT[key]));
  const arm: ArmNumbers = {
    name: leading(fields.get("arm") ?? "", 200),
    links: rods.map((link, i) => ({ ...link, com: at(com, i), comOffset: at(comOffset, i), inertia: at(inertia, i), tipMass: at(tipMass, i) })),
    joints: rods.map((_, i) => Object.fromEntries(JOINT_KEYS.map(([, key], k) => [key, rows[k]?.[i] ?? FREE_JOINT[key]])) as unknown as JointNumbers),
    gravity: numbers(fields, "g", 2, [0, -9.81]) as [number, number],
    payload: at(numbers(fields, "P", 1, [0]), 0),
    payloadInertia: at(numbers(fields, "PI", 1, [0]), 0),
  };
  checkArm(arm);
  return arm;
}

/** Raise unless the numbers are those of an arm that can move. */
function checkArm(arm: ArmNumbers): void {
  arm.links.forEach((link, i) => {
    within(`l${i + 1}`, [link.length], BOUNDS.length);
    within(`m${i + 1}`, [link.mass, link.tipMass], BOUNDS.size);
    within(`I${i + 1}`, [link.inertia], BOUNDS.inertia);
    within(`c${i + 1}`, [link.com, link.comOffset], BOUNDS.any);
  });
  within("P", [arm.payload], BOUNDS.size);
  within("PI", [arm.payloadInertia], BOUNDS.inertia);
  within("g", arm.gravity, BOUNDS.any);
  for (const { damping, rotorInertia, gearRatio, maxTorque, lower, upper } of arm.joints) {
    within("b", [damping], BOUNDS.size);
    within("J", [rotorInertia], BOUNDS.size);
    within("N", [gearRatio], BOUNDS.angle);
    within("max", [maxTorque ?? 0], [0, BOUNDS.torque[1]]);
    within("lower", [lower ?? 0, upper ?? 0], BOUNDS.angle);
    if ((lower ?? -Infinity) > (upper ?? Infinity)) throw new FragmentError(`lower: got ${lower}, need at most ${upper}`);
  }
  const { model, letters } = mechanismOf(arm);
  const still = arm.links.map(() => 0);
  const moved = arm.links.map((_, i) => model.kineticEnergy(letters, still, still.map((_zero, k) => Number(k === i))));
  if (!moved.every((energy) => energy > 0)) throw new FragmentError("m: a link that nothing hangs on has no mass");
}

function readControl(fields: ReadonlyMap<string, string>, arm: ArmNumbers): ControlSettings {
  const usual = defaultControl(arm);
  const n = arm.links.length;
  return {
    law: choice<Law>(fields, "law", LAWS, "off"),
    gravity: fields.get("G") === "1",
    kp: within("kp", numbers(fields, "kp", n, usual.kp), BOUNDS.gain),
    kd: within("kd", numbers(fields, "kd", n, usual.kd), BOUNDS.gain),
    frequency: bounded("w", at(numbers(fields, "w", 1, [usual.frequency]), 0), 0, 1000),
    dampingRatio: bounded("z", at(numbers(fields, "z", 1, [usual.dampingRatio]), 0), 0, 100),
  };
}

function readPath(text: string | undefined): PathShape | null {
  if (text === undefined) return null;
  const [kind, ...rest] = text.split(",");
  const values = rest.map(Number);
  if (!values.every(Number.isFinite)) throw new FragmentError(`path: not numbers`);
  within("path", values, BOUNDS.any);
  if (kind === "loops" && values.length === 4) {
    const [radius, loopRadius, loops, duration] = values as [number, number, number, number];
    return { kind, radius, loopRadius, loops: bounded("path", loops, 0, 100), duration: bounded("path", duration, 0.5, 120) };
  }
  if (kind === "stroke" && values.length >= 7 && values.length % 2 === 1 && values.length < 1000) {
    const points: Point[] = Array.from({ length: (values.length - 1) / 2 }, (_, i) => ({ x: at(values, 2 * i + 1), y: at(values, 2 * i + 2) }));
    return { kind, points, speed: bounded("path", at(values, 0), ...BOUNDS.speed) };
  }
  throw new FragmentError("path: need loops,R,r,k,T or stroke,speed,x,y,…");
}

function numbers(fields: ReadonlyMap<string, string>, name: string, count?: number, usual: readonly number[] = []): number[] {
  const text = fields.get(name);
  if (text === undefined) return usual.slice();
  const values = text.split(",").map((part) => (part.trim() === "" ? Number.NaN : Number(part)));
  if (!values.every(Number.isFinite) || (count !== undefined && values.length !== count)) {
    throw new FragmentError(`${name}: got ${leading(text, 40)}, need ${count ?? "some"} number${count === 1 ? "" : "s"}`);
  }
  return values;
}

/** Numbers of which some may be missing, such as limits. */
function maybeNumbers(fields: ReadonlyMap<string, string>, name: string, count: number, usual: number | null): (number | null)[] {
  const text = fields.get(name);
  if (text === undefined) return new Array<number | null>(count).fill(usual);
  const filled = text.split(",").map((part) => (part.trim() === "" ? "0" : part)).join(",");
  const values = numbers(new Map([[name, filled]]), name, count);
  return text.split(",").map((part, i) => (part.trim() === "" ? usual : at(values, i)));
}

function choice<T extends string>(fields: ReadonlyMap<string, string>, name: string, known: readonly T[], usual: T): T {
  const text = fields.get(name);
  if (text === undefined) return usual;
  const found = known.find((each) => each === text);
  if (found === undefined) throw new FragmentError(`${name}: got ${leading(text, 40)}, need one of ${known.join(", ")}`);
  return found;
}

function within(name: string, values: readonly number[], [low, high]: readonly [number, number]): readonly number[] {
  for (const value of values) bounded(name, value, low, high);
  return values;
}

function bounded(name: string, value: number, low: number, high: number): number {
  if (!(value >= low && value <= high)) throw new FragmentError(`${name}: got ${value}, need ${low} to ${high}`);
  return value;
}

const MOST_STEPS = 200;

/** States to go back to and to return to. */
export class History {
  readonly #past: PlayState[] = [];
  readonly #future: PlayState[] = [];

  get canUndo(): boolean {
    return this.#past.length > 0;
  }

  get canRedo(): boolean {
    return this.#future.length > 0;
  }

  /** Keep the state before a change. */
  record(state: PlayState): void {
    this.#past.push(state);
    if (this.#past.length > MOST_STEPS) this.#past.shift();
    this.#future.length = 0;
  }

  undo(now: PlayState): PlayState | null {
    const before = this.#past.pop();
    if (before) this.#future.push(now);
    return before ?? null;
  }

  redo(now: PlayState): PlayState | null {
    const after = this.#future.pop();
    if (after) this.#past.push(now);
    return after ?? null;
  }
}
