/** The panels beside the arm: its numbers, its posture, its controller, a path, what it is compared with, and how to share it. */

import { el } from "../dom";
import { at } from "../interpolate";
import { button, card, Choice, roundUp, Slider, Switch } from "./controls";
import { suggestedGains, type Law } from "./control";
import { pythonLine, robotToml } from "./export";
import { BOUNDS, changeJoint, changeLink, MOST_LINKS, withLength, withMass, type ArmNumbers, type JointNumbers, type LinkNumbers } from "./numbers";
import type { Change, Session } from "./session";
import type { CompanionKind } from "./simulation";
import { distanceText } from "./units";

/** What a panel does when something changes elsewhere. */
type Update = () => void;

export interface Panel {
  element: HTMLElement;
  update: Update;
}

export interface PanelEvents {
  say(text: string): void;
  /** The address of the arm as it is. */
  address(): string;
}

type Read = () => number;

/** Sliders with what each of them shows, so that an undo moves them back. */
class Sliders {
  readonly #rows: [Slider, Read][] = [];

  add(slider: Slider, read: Read): HTMLElement {
    this.#rows.push([slider, read]);
    return slider.element;
  }

  update(): void {
    for (const [slider, read] of this.#rows) slider.set(read());
  }
}

const TURN = 2 * Math.PI;

export function armPanel(session: Session): Panel {
  const sliders = new Sliders();
  const { arm } = session;
  const link = (i: number): LinkNumbers => session.arm.links[i] as LinkNumbers;
  const joint = (i: number): JointNumbers => session.arm.joints[i] as JointNumbers;
  const longest = Math.max(...arm.links.map((each) => each.length));
  const heaviest = Math.max(0.1, arm.payload, ...arm.links.map((each) => Math.max(each.mass, each.tipMass)));
  const setLink = (i: number, made: LinkNumbers, what: string): void => session.setArm(changeLink(session.arm, i, made), `${what} ${i}`);
  const unit = longest < 0.3 ? "cm" : "m";
  const massUnit = heaviest < 0.5 ? "g" : "kg";
  const lengths = arm.links.map((_, i) =>
    sliders.add(
      new Slider({ label: `Length ${i + 1}`, quantity: "length", unit, min: roundUp(longest / 20), max: roundUp(2 * longest), bounds: BOUNDS.length, change: (value) => setLink(i, withLength(link(i), value), "length") }, link(i).length),
      () => link(i).length,
    ),
  );
  const masses = arm.links.map((_, i) => sliders.add(massSlider(link, i, heaviest, massUnit, setLink), () => massOf(link(i))));
  const weight = Math.hypot(...arm.gravity) || 9.81;
  const others = [
    sliders.add(
      new Slider({ label: "Payload", quantity: "mass", unit: massUnit, min: 0, max: roundUp(2 * heaviest), bounds: BOUNDS.size, change: (payload) => session.setArm({ ...session.arm, payload }, "payload") }, arm.payload),
      () => session.arm.payload,
    ),
    sliders.add(
      new Slider({ label: "Gravity", quantity: "acceleration", unit: "m/s^2", min: 0, max: 25, change: (g) => session.setArm({ ...session.arm, gravity: turned(arm, g, weight) }, "gravity") }, Math.hypot(...arm.gravity)),
      () => Math.hypot(...session.arm.gravity),
    ),
  ];
  const most = dampingMost(session);
  const dampings = arm.joints.map((_, i) =>
    sliders.add(
      new Slider({ label: `Damping ${i + 1}`, quantity: "damping", unit: "N*m*s/rad", min: 0, max: most, bounds: BOUNDS.size, change: (damping) => session.setArm(changeJoint(session.arm, i, { ...joint(i), damping }), `damping ${i}`) }, joint(i).damping),
      () => joint(i).damping,
    ),
  );
  const add = button("Add a link", () => session.addLink());
  const remove = button("Take one away", () => session.removeLink());
  add.disabled = arm.links.length >= MOST_LINKS;
  remove.disabled = arm.links.length <= 1;
  const element = card("Arm", true, el("div", { class: "play-row" }, add, remove), ...lengths, ...masses, ...others, ...dampings);
  return { element, update: () => sliders.update() };
}

/** The mass of a link; that of the point at its end where the link itself weighs nothing. */
function massOf(link: LinkNumbers): number {
  return link.mass > 0 || link.tipMass === 0 ? link.mass : link.tipMass;
}

function massSlider(link: (i: number) => LinkNumbers, i: number, heaviest: number, unit: string, setLink: (i: number, made: LinkNumbers, what: string) => void): Slider {
  const change = (mass: number): void => {
    const now = link(i);
    setLink(i, now.mass > 0 || now.tipMass === 0 ? withMass(now, mass) : { ...now, tipMass: mass }, "mass");
  };
  return new Slider({ label: `Mass ${i + 1}`, quantity: "mass", unit, min: roundUp(heaviest / 100), max: roundUp(2 * heaviest), bounds: BOUNDS.mass, change }, massOf(link(i)));
}

/** Gravity of another size in the direction that the arm was opened with; downwards where it had none. */
function turned(arm: ArmNumbers, size: number, weight: number): [number, number] {
  const [x, y] = arm.gravity;
  return x === 0 && y === 0 ? [0, -size] : [(x * size) / weight, (y * size) / weight];
}

/** Damping that is critical for the stretched-out arm as a pendulum, or what the arm has, whichever is more. */
function dampingMost(session: Session): number {
  const { model, letters, arm } = session.mechanism;
  const inertia = at(model.massMatrix(letters, arm.links.map(() => 0))[0] as number[], 0);
  return roundUp(Math.max(2 * inertia, 2 * Math.max(...arm.joints.map((joint) => joint.damping))));
}

export function posturePanel(session: Session): Panel {
  const sliders = new Sliders();
  const rows = session.arm.joints.map((joint, i) => {
    const change = (angle: number): void => {
      const turnedTo = (q: readonly number[]): number[] => q.map((old, k) => (k === i ? angle : old));
      if (session.controlled) session.setSetPoint(turnedTo(session.simulation.setPoint));
      else session.setPose(turnedTo(session.simulation.q), turnedTo(session.simulation.q).map(() => 0), `pose ${i}`);
    };
    const [min, max] = [Math.max(joint.lower ?? -Math.PI, -Math.PI), Math.min(joint.upper ?? Math.PI, Math.PI)];
    return sliders.add(new Slider({ label: `Joint ${i + 1}`, quantity: "angle", unit: "deg", min, max, change }, 0), () => shownAngle(session, i));
  });
  sliders.update();
  const holds = session.arm.links.length === 3;
  const held = new Switch("Hold the orientation of the last link", session.orientationHeld, (on) => session.setOrientationHeld(on));
  const element = card("Posture", false, ...rows, ...(holds ? [held.element] : []));
  return { element, update: () => (element.open && sliders.update(), held.set(session.orientationHeld)) };
}

/** The angle of a joint, or of its set-point, within half a turn. */
function shownAngle(session: Session, i: number): number {
  const angle = at(session.controlled ? session.simulation.setPoint : session.simulation.q, i);
  return angle - TURN * Math.round(angle / TURN);
}

const LAW_NAMES: readonly (readonly [Law, string])[] = [["off", "Off"], ["pd", "PD"], ["computed-torque", "Computed torque"]];

export function controlPanel(session: Session): Panel {
  const sliders = new Sliders();
  const control = (): typeof session.simulation.control => session.simulation.control;
  const laws = new Choice("Controller", LAW_NAMES, control().law, (law) => session.setControl({ ...control(), law }));
  const gravity = new Switch("Gravity compensation", control().gravity, (on) => session.setControl({ ...control(), gravity: on }), "Adds the torque that carries the weight where the arm is");
  const suggested = suggestedGains(session.mechanism, 40);
  const gain = (name: "kp" | "kd", i: number): HTMLElement => {
    const change = (value: number): void => session.setControl({ ...control(), [name]: control()[name].map((old, k) => (k === i ? value : old)) }, `${name} ${i}`);
    const [label, unit] = name === "kp" ? [`Kp ${i + 1}`, "N*m/rad"] : [`Kd ${i + 1}`, "N*m*s/rad"];
    const options = { label, quantity: name === "kp" ? "stiffness" : "damping", unit, min: 0, max: roundUp(at(suggested[name], i) || 1), bounds: BOUNDS.gain, change } as const;
    return sliders.add(new Slider(options, at(control()[name], i)), () => at(control()[name], i));
  };
  const gains = el("div", { class: "play-group" }, ...session.arm.joints.flatMap((_, i) => [gain("kp", i), gain("kd", i)]));
  const frequency = new Slider({ label: "Natural frequency", quantity: "rate", unit: "rad/s", min: 1, max: 40, change: (value) => session.setControl({ ...control(), frequency: value }, "frequency") }, control().frequency);
  const ratio = new Slider({ label: "Damping ratio", quantity: "number", unit: "", min: 0, max: 2, change: (value) => session.setControl({ ...control(), dampingRatio: value }, "ratio") }, control().dampingRatio);
  const tuning = el("div", { class: "play-group" }, sliders.add(frequency, () => control().frequency), sliders.add(ratio, () => control().dampingRatio));
  const hint = el("p", { class: "play-hint", text: "Drag the tip: the arm goes where the shade is." });
  const update = (): void => {
    const { law } = control();
    laws.set(law);
    gravity.set(control().gravity || law === "computed-torque", law !== "computed-torque");
    gains.hidden = law !== "pd";
    tuning.hidden = law !== "computed-torque";
    hint.hidden = law === "off";
    sliders.update();
  };
  update();
  return { element: card("Controller", true, laws.element, gravity.element, gains, tuning, hint), update };
}

export function torquePanel(session: Session): Panel {
  const sliders = new Sliders();
  const { model, letters } = session.mechanism;
  const stretched = model.gravityTorque({ ...letters, gammax: 0, gammay: -9.81 }, session.arm.joints.map(() => 0));
  const rows = session.arm.joints.map((joint, i) => {
    const most = joint.maxTorque || roundUp(Math.max(2 * Math.abs(at(stretched, i)), Math.abs(at(session.simulation.torque, i)), 1e-3));
    const options = { label: `Torque ${i + 1}`, quantity: "torque", unit: "N*m", min: -most, max: most, change: (torque: number) => session.setTorque(i, torque) } as const;
    return sliders.add(new Slider(options, at(session.simulation.torque, i)), () => at(session.simulation.torque, i));
  });
  return { element: card("Torques", session.arm.links.length === 1, ...rows), update: () => sliders.update() };
}

export function pathPanel(session: Session): Panel {
  const draw = button("Draw a path", () => session.setTool(session.tool === "draw" ? "move" : "draw"), "Then draw on the picture (D)");
  const again = button("Follow again", () => session.followAgain());
  const clear = button("Remove", () => session.setPath(null));
  const told = el("p", { class: "play-hint", role: "status" });
  const speed = new Slider({ label: "Speed along it", quantity: "speed", unit: "m/s", min: 0.01, max: roundUp(2 * Math.max(0.5, reach(session))), bounds: BOUNDS.speed, change: (value) => changeSpeed(value) }, 0.5);
  const changeSpeed = (value: number): void => {
    if (session.path?.kind === "stroke") session.setPath({ ...session.path, speed: value }, "speed");
  };
  const update = (): void => {
    const { path, trajectory } = session;
    draw.setAttribute("aria-pressed", String(session.tool === "draw"));
    again.hidden = clear.hidden = path === null;
    speed.element.hidden = path?.kind !== "stroke";
    if (path?.kind === "stroke") speed.set(path.speed);
    told.textContent = session.tool === "draw" ? "Draw with a finger or the mouse, across the picture." : trajectory ? pathWords(trajectory.length, trajectory.unreachable, trajectory.shortfall) : "";
    told.classList.toggle("play-warning", (trajectory?.unreachable ?? 0) > 0);
  };
  update();
  return { element: card("Path", true, el("div", { class: "play-row" }, draw, again, clear), speed.element, told), update };
}

function reach(session: Session): number {
  return session.arm.links.reduce((sum, link) => sum + link.length, 0);
}

function pathWords(length: number, unreachable: number, shortfall: number): string {
  const long = `${length.toPrecision(3)} m long, `;
  if (unreachable === 0) return `${long}all of it within reach.`;
  return `${long}${Math.max(1, Math.round(100 * unreachable))} % of it out of reach, by up to ${distanceText(shortfall)} (red): there the arm goes to the nearest points.`;
}

const COMPANIONS: readonly (readonly [CompanionKind, string])[] = [["none", "Nothing"], ["open-loop", "Open loop"], ["sequential", "Sequential model"]];

const COMPANION_WORDS: Record<CompanionKind, string> = {
  none: "",
  "open-loop": "Blue: the same arm, driven by the torques that the motion needs, and nothing measured.",
  sequential: "Blue: each joint by itself, as if all beyond it were frozen. No coupling, no centrifugal terms: energy is not kept.",
};

export function comparePanel(session: Session): Panel {
  const kinds = new Choice("Beside it", COMPANIONS, session.companion, (kind) => session.setCompanion(kind));
  const words = el("p", { class: "play-hint" });
  const update = (): void => {
    kinds.set(session.companion);
    words.textContent = COMPANION_WORDS[session.companion];
  };
  update();
  return { element: card("Beside it", session.companion !== "none", kinds.element, words), update };
}

export function sharePanel(session: Session, events: PanelEvents): Panel {
  const code = el("pre", { class: "play-code", tabindex: "0", "aria-label": "Python", data: { scrolls: "" } });
  const update = (): void => {
    code.textContent = `import ulna\n\n${pythonLine(session.arm)}`;
  };
  update();
  const copied = (what: string, text: string): Promise<void> =>
    navigator.clipboard.writeText(text).then(
      () => events.say(`${what} copied.`),
      () => events.say(`${what} could not be copied: this browser does not allow it.`),
    );
  const row = el(
    "div",
    { class: "play-row" },
    button("Copy the address", () => void copied("Address", events.address()), "Whoever opens it sees what you see"),
    button("Copy the Python", () => void copied("Python", code.textContent ?? "")),
    button("Robot file", () => download(`${fileName(session.arm.name)}.toml`, robotToml(session.arm)), "A TOML file for ulna.load and every command"),
  );
  return { element: card("Share", false, row, code), update };
}

function fileName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "") || "arm";
}

function download(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "application/toml" }));
  const link = el("a", { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/** All panels of an arm; made anew when it gets another number of joints. */
export function allPanels(session: Session, events: PanelEvents): { panels: Panel[]; update(change: Change): void } {
  const panels = [armPanel(session), controlPanel(session), pathPanel(session), torquePanel(session), posturePanel(session), comparePanel(session), sharePanel(session, events)];
  return { panels, update: () => panels.forEach((panel) => panel.update()) };
}
