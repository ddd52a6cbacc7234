/** What a person does with the arm: every action of the page goes through here, can be undone, and is told to all who show it. */

import { at } from "../interpolate";
import { isActive, type ControlSettings } from "./control";
import { mechanismOf, type Mechanism, type Vector } from "./models";
import { addLink, MOST_LINKS, removeLink, type ArmNumbers } from "./numbers";
import { RATE, Simulation, type CompanionKind } from "./simulation";
import { defaultControl, History, type PlayState } from "./state";
import { planTrajectory, type PathShape, type Trajectory } from "./trajectory";

/** What changed: the number of joints or all of it, numbers, the posture by hand, a controller, a path, how time runs. */
export type Change = "everything" | "arm" | "pose" | "control" | "path" | "play";
export type Tool = "move" | "draw";

/** Changes of one kind that follow each other within this time [ms] are undone at once. */
const ONE_GESTURE = 800;
/** Steps of the integrator between two points of the trace. */
const TRACE_STEPS = 4;
/** Seconds that a press of the step button goes on, at the speed of 1. */
const FRAME = 1 / 60;
export const SPEEDS: readonly number[] = [0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4];

export class Session {
  readonly #history = new History();
  readonly #listeners = new Set<(change: Change) => void>();
  #simulation: Simulation;
  #companion: CompanionKind = "none";
  #path: PathShape | null = null;
  #playing = false;
  #speed = 1;
  #start: PlayState;
  #lastEdit: { key: string; at: number } = { key: "", at: 0 };
  orientationHeld = false;
  tool: Tool = "move";
  /** Called every few steps with the arm that moves, and with the companion. */
  observe: ((simulation: Simulation) => void) | null = null;

  constructor(state: PlayState) {
    this.#start = state;
    this.#simulation = this.#restored(state);
  }

  get simulation(): Simulation {
    return this.#simulation;
  }

  get mechanism(): Mechanism {
    return this.#simulation.mechanism;
  }

  get arm(): ArmNumbers {
    return this.mechanism.arm;
  }

  get playing(): boolean {
    return this.#playing;
  }

  get speed(): number {
    return this.#speed;
  }

  set speed(speed: number) {
    this.#speed = speed;
    this.#tell("play");
  }

  get companion(): CompanionKind {
    return this.#companion;
  }

  get path(): PathShape | null {
    return this.#path;
  }

  get trajectory(): Trajectory | null {
    return this.#simulation.trajectory;
  }

  get canUndo(): boolean {
    return this.#history.canUndo;
  }

  get canRedo(): boolean {
    return this.#history.canRedo;
  }

  get controlled(): boolean {
    return this.#simulation.control.law !== "off";
  }

  /** Call `listener` after every change; returns what ends that. */
  subscribe(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** All that is set up, as it is now. */
  state(): PlayState {
    const simulation = this.#simulation;
    return {
      arm: this.arm,
      q: simulation.q.slice(),
      qd: simulation.qd.slice(),
      torque: simulation.torque.slice(),
      control: simulation.control,
      setPoint: simulation.setPoint.slice(),
      path: this.#path,
      companion: this.#companion,
      speed: this.#speed,
      orientationHeld: this.orientationHeld,
    };
  }

  /** Set everything up anew; it is what reset goes back to. */
  load(state: PlayState): void {
    this.#record();
    this.#start = state;
    this.#restore(state);
  }

  reset(): void {
    this.#record();
    this.#restore(this.#start);
  }

  undo(): void {
    const before = this.#history.undo(this.state());
    this.#lastEdit = { key: "", at: 0 };
    if (before) this.#restore(before);
  }

  redo(): void {
    const after = this.#history.redo(this.state());
    this.#lastEdit = { key: "", at: 0 };
    if (after) this.#restore(after);
  }

  play(): void {
    if (this.#playing || this.#simulation.diverged) return;
    this.#playing = true;
    this.#start = this.state();
    this.#tell("play");
  }

  pause(): void {
    if (!this.#playing) return;
    this.#playing = false;
    this.#simulation.pull = null;
    this.#tell("play");
  }

  toggle(): void {
    if (this.#playing) this.pause();
    else this.play();
  }

  /** Pause and go on by a frame, or by a single step of the integrator. */
  stepOn(single = false): void {
    this.pause();
    if (single) this.#simulation.step();
    else this.#run(FRAME * this.#speed);
    this.#tell("play");
  }

  /** Let time pass [s]; only a playing arm moves. */
  advance(seconds: number): void {
    if (!this.#playing) return;
    this.#run(seconds * this.#speed);
    if (this.#simulation.diverged) this.pause();
  }

  setArm(arm: ArmNumbers, key = "arm"): void {
    this.#record(key);
    this.#simulation.mechanism = mechanismOf(arm);
    if (this.#path) this.#plan();
    this.#tell("arm");
  }

  addLink(): void {
    if (this.arm.links.length < MOST_LINKS) this.#relink(addLink(this.arm));
  }

  removeLink(): void {
    if (this.arm.links.length > 1) this.#relink(removeLink(this.arm));
  }

  /** Put the arm into a posture, at rest or with rates. */
  setPose(q: Vector, qd: Vector = q.map(() => 0), key = "pose"): void {
    this.#record(key);
    const simulation = this.#simulation;
    [simulation.q, simulation.qd] = [q.slice(), qd.slice()];
    if (!this.controlled) simulation.setPoint = q.slice();
    simulation.diverged = false;
    simulation.disturbed();
    simulation.compare(this.#companion);
    this.#tell("pose");
  }

  setSetPoint(q: Vector): void {
    this.#record("set-point");
    this.#dropPath();
    this.#simulation.setPoint = q.slice();
    this.#tell("pose");
  }

  setTorque(joint: number, torque: number): void {
    this.#record(`torque ${joint}`);
    this.#simulation.torque = this.#simulation.torque.map((old, i) => (i === joint ? torque : old));
    this.#simulation.disturbed();
    this.#tell("control");
  }

  setControl(control: ControlSettings, key = ""): void {
    this.#record(key);
    const simulation = this.#simulation;
    // A controller that is switched on holds the arm where it is.
    if (simulation.control.law === "off" && control.law !== "off") simulation.setPoint = simulation.q.slice();
    if (isActive(control) !== isActive(simulation.control)) simulation.disturbed();
    simulation.control = control;
    if (control.law !== "off" && this.#path && !simulation.trajectory) this.#plan();
    this.#tell("control");
  }

  setCompanion(kind: CompanionKind): void {
    this.#record();
    this.#companion = kind;
    this.#simulation.compare(kind);
    this.#tell("control");
  }

  /** Follow a path, by computed torque unless another controller is at work. */
  setPath(path: PathShape | null, key = ""): void {
    this.#record(key);
    this.#path = path;
    if (!path) {
      this.#dropPath();
    } else {
      if (!this.controlled) this.#simulation.control = { ...this.#simulation.control, law: "computed-torque" };
      this.#plan();
    }
    this.tool = "move";
    this.#tell("path");
  }

  /** Follow the path once more, from where the arm is. */
  followAgain(): void {
    if (!this.#path) return;
    this.#plan();
    this.play();
    this.#tell("path");
  }

  setTool(tool: Tool): void {
    this.tool = tool;
    this.#tell("path");
  }

  setOrientationHeld(held: boolean): void {
    this.#record();
    this.orientationHeld = held;
    this.#tell("control");
  }

  #run(seconds: number): void {
    const simulation = this.#simulation;
    const part = TRACE_STEPS / RATE;
    for (let left = seconds; left > 0; left -= part) {
      simulation.advance(Math.min(part, left));
      this.observe?.(simulation);
    }
  }

  #relink(arm: ArmNumbers): void {
    this.#record();
    const { q, qd, torque } = this.#simulation;
    const n = arm.links.length;
    const fitted = (values: readonly number[]): number[] => Array.from({ length: n }, (_, i) => values[i] ?? 0);
    const state = { ...this.state(), arm, q: fitted(q), qd: fitted(qd), torque: fitted(torque), setPoint: fitted(q), path: null };
    const { law, gravity, frequency, dampingRatio } = this.#simulation.control;
    this.#restore({ ...state, control: { ...defaultControl(arm), law, gravity, frequency, dampingRatio } }, true);
  }

  #restored(state: PlayState): Simulation {
    const simulation = new Simulation(mechanismOf(state.arm), [...state.q], [...state.qd], [...state.torque], state.control);
    simulation.setPoint = [...state.setPoint];
    this.#companion = state.companion;
    this.#path = state.path;
    this.#speed = state.speed;
    this.orientationHeld = state.orientationHeld;
    if (state.path) simulation.follow(planTrajectory(simulation.mechanism, state.path, simulation.q));
    // Loops begin in motion; an arm that stands still where they begin is to start as they do.
    if (state.path?.kind === "loops") startOnPath(simulation);
    simulation.compare(state.companion);
    return simulation;
  }

  #restore(state: PlayState, keepPlaying = false): void {
    this.#playing &&= keepPlaying;
    this.#simulation = this.#restored(state);
    this.#tell("everything");
  }

  /** Plan the path anew for the arm as it is; where it cannot be told, from where the arm stands. */
  #plan(): void {
    if (!this.#path) return;
    this.#simulation.follow(planTrajectory(this.mechanism, this.#path, this.#simulation.q));
    this.#simulation.compare(this.#companion);
  }

  #dropPath(): void {
    this.#path = null;
    if (this.#simulation.trajectory) this.#simulation.setPoint = this.#simulation.reference().q.slice();
    this.#simulation.trajectory = null;
  }

  /** Keep what there was; changes that have a key, as of a slider that moves, are one with the last of the same. */
  #record(key = ""): void {
    const now = performance.now();
    const same = key !== "" && key === this.#lastEdit.key && now - this.#lastEdit.at < ONE_GESTURE;
    this.#lastEdit = { key, at: now };
    if (!same) this.#history.record(this.state());
  }

  #tell(change: Change): void {
    for (const listener of [...this.#listeners]) listener(change);
  }
}

/** Put the arm where its trajectory begins, as fast as that begins. */
function startOnPath(simulation: Simulation): void {
  const reference = simulation.reference();
  const far = simulation.q.some((angle, i) => Math.abs(angle - at(reference.q, i)) > 0.2);
  if (far) return;
  simulation.q = [...reference.q];
  simulation.qd = [...reference.qd];
}
