/** The playground's page: the arm in the middle, its panels and charts beside it, time below. */

import { el, icon, setAttribute, WHOLE_VIEW } from "../dom";
import { at } from "../interpolate";
import { onTheme, toggleTheme } from "../theme";
import { iconButton, keysButton, PAUSE, PLAY, speedText, STEP_ON, themeButton } from "../transport";
import { ArmCanvas } from "./arm-canvas";
import { exerciseCard, type ExerciseContent } from "./exercise-panel";
import { bindGestures, pulledPoint } from "./gestures";
import { LiveCharts } from "./live-charts";
import { allPanels, type Panel } from "./panels";
import { PhaseView } from "./phase-view";
import { type Change, Session, SPEEDS } from "./session";
import { FragmentError, fromFragment, toFragment, type PlayState } from "./state";
import { distanceText } from "./units";

/** What the page carries: states are written as addresses carry them. */
export interface PlaygroundDocument {
  format: 1;
  title: string;
  /** What the arm has and the playground leaves out. */
  notes: string[];
  start: string;
  scenes: { id: string; group: string; title: string; state: string; note: string }[];
  exercise: ExerciseContent | null;
  versions: Record<string, string>;
}

/** Frames further apart than this [s] were not seen: a page that slept does not catch up. */
const LONGEST_FRAME = 1;
/** Milliseconds without a change after which the address is written. */
const QUIET = 250;
/** Milliseconds that a sentence stays on the picture. */
const READING = 12_000;

const RESET = "M4 5v5h5M4.6 14.5a8 8 0 1 0 1.2-7.2L4 10";
const UNDO = "M8 5 4 9l4 4M4 9h10a6 6 0 0 1 0 12h-3";
const REDO = "M16 5l4 4-4 4M20 9H10a6 6 0 0 0 0 12h3";

const KEYS: readonly [string, string][] = [
  ["Space", "play or pause"],
  [".", "a frame further"],
  ["Shift .", "a step of the integrator further (0.25 ms)"],
  ["Backspace", "back to the start"],
  ["Ctrl Z", "undo"],
  ["Ctrl Shift Z", "redo"],
  ["← → ↑ ↓", "on the picture: move the tip, or the set-point; Shift: further"],
  ["D", "draw a path"],
  ["C", "controller off, PD, computed torque"],
  ["T", "light or dark"],
  ["?", "show these keys"],
];

export class PlaygroundPage {
  readonly #host: HTMLElement;
  readonly #content: PlaygroundDocument;
  readonly session: Session;
  readonly #canvas = el("canvas", { class: "play-canvas", tabindex: "0", role: "application", "aria-label": "The arm" });
  readonly #live = el("div", { class: "ulna-hidden", role: "status" });
  readonly #message = el("p", { class: "play-message", hidden: true });
  readonly #readout = el("output", { class: "play-readout", "aria-live": "off" });
  readonly #aside = el("div", { class: "play-panels" });
  readonly #right = el("div", { class: "play-side" });
  readonly #phaseHost = el("div", { class: "play-phase" });
  readonly #chooser = el("select", { class: "play-presets", "aria-label": "Arm or scene" });
  readonly #bar: Bar;
  readonly #stage: ArmCanvas;
  readonly #keys = keysDialog();
  readonly #stops: (() => void)[] = [];
  /** What there is to say when the page opens. */
  #welcome = "";
  #sceneNamed = "";
  #panels: { panels: Panel[]; update(change: Change): void } | null = null;
  #charts: LiveCharts | null = null;
  #phase: PhaseView | null = null;
  #exerciseCard: HTMLElement | null = null;
  #frame: number | null = null;
  #stamp: number | null = null;
  #writing: ReturnType<typeof setTimeout> | undefined;
  #telling: ReturnType<typeof setTimeout> | undefined;

  constructor(host: HTMLElement, content: PlaygroundDocument) {
    this.#host = host;
    this.#content = content;
    const opened = this.#opened();
    this.session = new Session(opened);
    this.#bar = new Bar(this.session);
    host.append(this.#header(), this.#layout(), this.#bar.element, this.#live, this.#keys);
    this.#stage = new ArmCanvas(this.#canvas, this.session);
    this.#build();
    this.#listen();
    this.#chooser.value = this.#sceneNamed;
    this.#tell(this.#welcome);
    this.#invalidate();
  }

  /** What the address asks for, or what the page was made with. */
  #opened(): PlayState {
    try {
      const scene = this.#sceneOf(location.hash);
      this.#welcome = scene?.note ?? "";
      this.#sceneNamed = scene?.id ?? "";
      const asked = fromFragment(scene?.state ?? location.hash);
      if (asked) return asked;
    } catch (error) {
      if (!(error instanceof FragmentError)) throw error;
      this.#welcome = `The address cannot be read (${error.message}): this is the page's own arm.`;
    }
    return fromFragment(this.#content.start) as PlayState;
  }

  /** The scene that an address names: #scene=001-one-joint. */
  #sceneOf(fragment: string): PlaygroundDocument["scenes"][number] | null {
    const id = new URLSearchParams(fragment.slice(1)).get("scene");
    if (id === null) return null;
    const scene = this.#content.scenes.find((each) => each.id === id);
    if (!scene) throw new FragmentError(`there is no scene ${id.slice(0, 40)}`);
    return scene;
  }

  #header(): HTMLElement {
    const select = this.#chooser;
    const theme = themeButton();
    this.#stops.push(theme.stop);
    const groups = new Map<string, HTMLElement>();
    select.append(el("option", { value: "", text: this.#content.title }));
    this.#content.scenes.forEach((scene) => {
      const group = groups.get(scene.group) ?? el("optgroup", { label: scene.group });
      if (!groups.has(scene.group)) select.append(group);
      groups.set(scene.group, group);
      group.append(el("option", { value: scene.id, text: scene.title }));
    });
    select.addEventListener("change", () => this.#choose(select.value));
    const { undo, redo } = this.#bar;
    return el(
      "header",
      { class: "play-header" },
      el("h1", { class: "play-name" }, el("span", { class: "play-mark", "aria-hidden": "true" }, icon("M4 19 11 8l9 4")), "ulna"),
      select,
      el("div", { class: "play-tools" }, undo, redo, theme.element, keysButton(() => this.#keys.showModal())),
    );
  }

  /** Set up a scene, or what the page was opened with. */
  #choose(id: string): void {
    const scene = this.#content.scenes.find((each) => each.id === id);
    this.session.load(fromFragment(scene?.state ?? this.#content.start) as PlayState);
    this.#chooser.value = scene?.id ?? "";
    this.#tell(scene?.note ?? "");
  }

  #layout(): HTMLElement {
    const home = el("button", { type: "button", class: "arm-zoom-button", "aria-label": "Show the whole workspace", title: "Show the whole workspace", on: { click: () => this.#resetView() } }, icon(WHOLE_VIEW));
    const picture = el(
      "section",
      { class: "ulna-card play-picture", "aria-label": "Picture" },
      this.#canvas,
      this.#readout,
      this.#message,
      el("div", { class: "arm-zoom" }, home),
    );
    const notes = this.#content.notes.map((text) => el("p", { class: "play-hint", text }));
    const versions = Object.entries(this.#content.versions).map(([name, version]) => `${name} ${version}`).join(", ");
    this.#right.append(this.#phaseHost);
    return el(
      "main",
      { class: "play-main" },
      this.#aside,
      picture,
      this.#right,
      el("footer", { class: "play-foot" }, ...notes, el("p", { text: `Physics written by ulna derive and checked by it; ${versions}.` })),
    );
  }

  /** Panels and charts for the arm as it is: made anew when it gets another number of joints. */
  #build(): void {
    const open = this.#openCards();
    const panels = allPanels(this.session, {
      say: (text) => this.#say(text),
      address: () => `${location.href.split("#")[0]}#${toFragment(this.session.state())}`,
    });
    this.#panels = panels;
    const exercise = this.#exercise();
    this.#aside.replaceChildren(...(exercise ? [exercise] : []), ...panels.panels.map((panel) => panel.element));
    for (const details of this.#aside.querySelectorAll("details.play-card")) {
      const known = open.get(details.querySelector("h2")?.textContent ?? "");
      if (known !== undefined) (details as HTMLDetailsElement).open = known;
    }
    this.#charts?.destroy();
    this.#charts = new LiveCharts(this.#right, this.session, () => this.#stage.palette);
    this.#phase?.destroy();
    this.#phase = null;
    if (this.session.arm.links.length === 1) {
      this.#phase = new PhaseView(this.#phaseHost, { start: (q, qd) => this.session.setPose([q], [qd]) });
      this.#showPhase();
    }
    this.#stage.rearm(true);
  }

  /** The card of the exercise; made once, so that answers stay when the arm changes. */
  #exercise(): HTMLElement | null {
    if (this.#content.exercise) this.#exerciseCard ??= exerciseCard(this.#content.exercise);
    return this.#exerciseCard;
  }

  #openCards(): Map<string, boolean> {
    const cards = [...this.#aside.querySelectorAll<HTMLDetailsElement>("details.play-card")];
    return new Map(cards.map((details) => [details.querySelector("h2")?.textContent ?? "", details.open]));
  }

  #listen(): void {
    this.#stops.push(this.session.subscribe((change) => this.#changed(change)));
    this.#stops.push(bindGestures(this.#stage, this.session, { changed: () => this.#invalidate(), say: (text) => this.#tell(text) }));
    this.#stops.push(
      onTheme(() => {
        this.#stage.recolour();
        this.#charts?.recolour();
        this.#phase?.recolour();
        this.#invalidate();
      }),
    );
    const observer = new ResizeObserver(() => {
      this.#stage.resize();
      this.#charts?.resize();
      this.#invalidate();
    });
    observer.observe(this.#canvas);
    observer.observe(this.#right);
    const end = new AbortController();
    const { signal } = end;
    document.addEventListener("keydown", (event) => this.#key(event), { signal });
    document.addEventListener("visibilitychange", () => (this.#stamp = null), { signal });
    addEventListener("hashchange", (event) => this.#addressChanged(new URL(event.newURL).hash), { signal });
    document.fonts?.addEventListener("loadingdone", () => (this.#stage.recolour(), this.#invalidate()), { signal });
    this.#stops.push(() => observer.disconnect(), () => end.abort());
  }

  #changed(change: Change): void {
    if (change === "everything") {
      this.#tell("");
      this.#build();
    } else {
      this.#panels?.update(change);
      if (change === "arm") this.#stage.rearm(false);
      if (change === "pose" && !this.session.playing) this.#stage.clearTrace();
      if (change === "arm" || change === "control") this.#showPhase();
    }
    if (change === "everything" || change === "play") this.#charts?.sample();
    this.#bar.update();
    this.#write();
    this.#invalidate();
  }

  #showPhase(): void {
    this.#phase?.show(this.session.mechanism, at(this.session.simulation.torque, 0));
  }

  /** Someone pasted another address, over which the page, if it was about to, has written its own by now. */
  #addressChanged(hash: string): void {
    if (hash.slice(1) === toFragment(this.session.state())) return;
    try {
      const scene = this.#sceneOf(hash);
      if (scene) return this.#choose(scene.id);
      const state = fromFragment(hash);
      if (state) this.session.load(state);
    } catch (error) {
      if (!(error instanceof FragmentError)) throw error;
      this.#tell(`The address cannot be read (${error.message}).`);
    }
  }

  /** Write the state into the address once nothing changes any more. */
  #write(): void {
    clearTimeout(this.#writing);
    this.#writing = setTimeout(() => {
      if (!this.session.playing) replaceFragment(toFragment(this.session.state()));
    }, QUIET);
  }

  #invalidate(): void {
    this.#frame ??= requestAnimationFrame((now) => this.#animate(now));
  }

  #animate(now: number): void {
    this.#frame = null;
    const passed = this.#stamp === null ? 0 : Math.min(LONGEST_FRAME, Math.max(0, now - this.#stamp) / 1000);
    const { playing } = this.session;
    this.#stamp = playing ? now : null;
    this.session.advance(passed);
    const { simulation } = this.session;
    if (simulation.pull) this.#stage.handling.pull = { from: pulledPoint(this.session, simulation.pull), to: simulation.pull };
    if (playing) this.#charts?.sample();
    this.#stage.draw();
    // A hand that poses the arm is followed at once; charts follow as when it plays, and when it is let go.
    this.#charts?.draw(now, !playing && !this.#stage.handling.held);
    this.#phase?.update(at(simulation.q, 0), at(simulation.qd, 0));
    this.#tellMoment();
    this.#bar.tick();
    if (this.session.playing) this.#invalidate();
    if (simulation.diverged) this.#tell("The numbers ran away: the arm turns faster than any step can follow. Reset, or lower torques and gains.");
  }

  #tellMoment(): void {
    const { mechanism, simulation } = this.session;
    const [x, y] = mechanism.model.tip(mechanism.letters, simulation.q) as [number, number];
    const text = `x ${fixed(x)} m  y ${fixed(y)} m`;
    if (this.#readout.textContent !== text) this.#readout.textContent = text;
    this.#host.dataset["tip"] = `${x.toFixed(6)},${y.toFixed(6)}`;
    const { shortfall } = this.#stage.handling;
    if (shortfall > 0) this.#tell(`Out of reach by ${distanceText(shortfall)}`, true);
    else if (this.#message.dataset["passing"] === "") this.#tell("");
    if (this.session.playing) return;
    const angles = simulation.q.map((angle) => `${((angle * 180) / Math.PI).toFixed(1)}°`).join(", ");
    setAttribute(this.#canvas, "aria-label", `The arm: joints at ${angles}, tip at ${x.toFixed(3)} m, ${y.toFixed(3)} m. Arrow keys move the tip.`);
  }

  /** Say something on the picture and to screen readers; a passing word goes when its reason goes. */
  #tell(text: string, passing = false): void {
    if (this.#message.textContent === text) return;
    this.#message.textContent = text;
    this.#message.hidden = text === "";
    clearTimeout(this.#telling);
    if (passing) this.#message.dataset["passing"] = "";
    else delete this.#message.dataset["passing"];
    if (passing) return;
    this.#live.textContent = text;
    this.#telling = setTimeout(() => this.#tell(""), READING);
  }

  #say(text: string): void {
    this.#live.textContent = text;
    this.#bar.flash(text);
  }

  #resetView(): void {
    this.#stage.view.reset();
    this.#stage.viewChanged();
    this.#invalidate();
  }

  #key(event: KeyboardEvent): void {
    const target = event.target instanceof Element ? event.target : null;
    if (event.defaultPrevented || target?.closest("input:not([type=range],[type=checkbox],[type=radio]), textarea, select, dialog")) return;
    const action = this.#action(event, target);
    if (!action) return;
    event.preventDefault();
    action();
  }

  #action(event: KeyboardEvent, target: Element | null): (() => void) | null {
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const session = this.session;
    if (event.ctrlKey || event.metaKey) {
      if (key === "z") return event.shiftKey ? () => session.redo() : () => session.undo();
      return key === "y" ? () => session.redo() : null;
    }
    if (event.altKey) return null;
    if (key === " " && target?.closest("button, a[href], summary, input")) return null;
    const actions: Record<string, () => void> = {
      " ": () => session.toggle(),
      ".": () => session.stepOn(event.shiftKey),
      ">": () => session.stepOn(true),
      ":": () => session.stepOn(true),
      Backspace: () => session.reset(),
      d: () => session.setTool(session.tool === "draw" ? "move" : "draw"),
      c: () => nextLaw(session),
      t: toggleTheme,
      "?": () => this.#keys.showModal(),
    };
    return actions[key] ?? null;
  }

  destroy(): void {
    for (const stop of this.#stops) stop();
    if (this.#frame !== null) cancelAnimationFrame(this.#frame);
    clearTimeout(this.#writing);
    this.#charts?.destroy();
    this.#phase?.destroy();
  }
}

function nextLaw(session: Session): void {
  const { control } = session.simulation;
  const law = control.law === "off" ? "pd" : control.law === "pd" ? "computed-torque" : "off";
  session.setControl({ ...control, law });
}

function fixed(value: number): string {
  return value.toFixed(3).replace("-", "−").padStart(6, " ");
}

function replaceFragment(fragment: string): void {
  try {
    history.replaceState(history.state, "", `#${fragment}`);
  } catch {
    // A page in a frame, or one that changes its address too often, goes without; the share panel still has it.
  }
}

/** Play, step, speed, time. */
class Bar {
  readonly element: HTMLElement;
  readonly undo: HTMLButtonElement;
  readonly redo: HTMLButtonElement;
  readonly #session: Session;
  readonly #play: HTMLButtonElement;
  readonly #time = el("output", { class: "ulna-time", "aria-label": "Time", "aria-live": "off" });
  readonly #speed: HTMLSelectElement;
  readonly #said = el("span", { class: "play-said", "aria-hidden": "true" });
  #telling: ReturnType<typeof setTimeout> | undefined;
  #playing: boolean | null = null;

  constructor(session: Session) {
    this.#session = session;
    this.undo = iconButton("Undo (Ctrl Z)", UNDO, () => session.undo());
    this.redo = iconButton("Redo (Ctrl Shift Z)", REDO, () => session.redo());
    this.#play = iconButton("Play (Space)", PLAY, () => session.toggle(), true);
    this.#play.classList.add("ulna-play");
    this.#speed = el("select", { class: "ulna-speed", "aria-label": "Speed" }, ...SPEEDS.map((speed) => el("option", { value: String(speed), text: speedText(speed) })));
    this.#speed.addEventListener("change", () => (session.speed = Number(this.#speed.value)));
    this.element = el(
      "div",
      { class: "ulna-transport play-bar-bottom", role: "region", "aria-label": "Time" },
      el("div", { class: "ulna-transport-main" }, iconButton("Back to the start (Backspace)", RESET, () => session.reset()), this.#play, iconButton("A frame further (.)", STEP_ON, () => session.stepOn(), true)),
      this.#time,
      this.#said,
      el("div", { class: "ulna-transport-more" }, this.#speed),
    );
    this.update();
  }

  update(): void {
    const session = this.#session;
    this.undo.disabled = !session.canUndo;
    this.redo.disabled = !session.canRedo;
    const speed = String(session.speed);
    if (![...this.#speed.options].some((option) => option.value === speed)) this.#speed.append(el("option", { value: speed, text: speedText(session.speed) }));
    this.#speed.value = speed;
    this.tick();
    if (session.playing === this.#playing) return;
    this.#playing = session.playing;
    const name = session.playing ? "Pause (Space)" : "Play (Space)";
    this.#play.replaceChildren(icon(session.playing ? PAUSE : PLAY, true));
    this.#play.setAttribute("aria-label", name);
    this.#play.title = name;
  }

  /** Tell the time. */
  tick(): void {
    const text = `${this.#session.simulation.time.toFixed(2)} s`;
    if (this.#time.textContent !== text) this.#time.textContent = text;
  }

  /** Show a sentence for a while. */
  flash(text: string): void {
    this.#said.textContent = text;
    clearTimeout(this.#telling);
    this.#telling = setTimeout(() => (this.#said.textContent = ""), READING / 2);
  }
}

function keysDialog(): HTMLDialogElement {
  const rows = KEYS.map(([keys, does]) => el("div", { class: "ulna-key-row" }, el("dt", {}, ...keys.split(" ").map((key) => el("kbd", { text: key }))), el("dd", { text: does })));
  const close = el("button", { type: "button", class: "ulna-button ulna-close", "aria-label": "Close", on: { click: () => dialog.close() } }, icon("M7 7l10 10M17 7 7 17"));
  const dialog = el("dialog", { class: "ulna-keys", "aria-labelledby": "play-keys" }, el("div", { class: "ulna-keys-head" }, el("h2", { id: "play-keys", text: "Keys" }), close), el("dl", {}, ...rows));
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  return dialog;
}
