/** The arm with a small transport: what papers' pages and notebook cells show, several to a page. */

import { ArmView } from "./arm-view";
import { Clock, drive } from "./clock";
import type { Loaded, Motion } from "./document";
import { el, icon } from "./dom";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];
const PLAY = "M7 5l12 7-12 7z";
const PAUSE = "M7 5h3v14H7zM14 5h3v14h-3z";
/** Positions of the slider: finer than any screen is wide. */
const SLIDER_STEPS = 2000;

/** Show a player of the document's motions in `host`; returns what removes it. One with a clock of somebody else's does not play by itself. */
export function mountPlayer(host: HTMLElement, loaded: Loaded, given?: Clock): () => void {
  const clock = given ?? new Clock(...loaded.header.span);
  clock.loop = true;
  const stage = el("div", { class: "player-stage" });
  const bar = transport(clock);
  const root = el("div", { class: "player", role: "group", "aria-label": `Player: ${loaded.header.title}` }, stage, bar.element);
  host.append(root);
  const view = new ArmView(stage, loaded, playedLabels(loaded.header.motions), clock, { wheel: "ctrl" });
  root.addEventListener("keydown", (event) => pressed(event, clock, view));
  const ends = [
    drive(clock),
    bar.end,
    watchTheme(host, () => view.recolour()),
    given ? () => undefined : watchSight(root, clock),
    () => view.destroy(),
    () => root.remove(),
  ];
  return () => {
    for (const end of ends) end();
  };
}

/** Motions of a player, the main one first: a plan is where the others should be, unless there is nothing else. */
export function playedLabels(motions: readonly Motion[]): string[] {
  const moved = motions.filter((motion) => motion.role !== "plan");
  const shown = moved.length > 0 ? moved : motions;
  const main = shown.find((motion) => motion.role === "closed") ?? shown[0];
  return main ? [main, ...shown.filter((motion) => motion !== main)].map((motion) => motion.label) : [];
}

/** Play/pause, time, slider and speed, kept in step with the clock. */
function transport(clock: Clock): { element: HTMLElement; end(): void } {
  const play = el("button", { type: "button", class: "player-button player-play", on: { click: () => clock.toggle() } });
  const slider = el("input", { type: "range", class: "player-slider", min: "0", max: String(SLIDER_STEPS), step: "1", "aria-label": "Time" });
  const time = el("output", { class: "player-time" });
  const speed = speedSelect(clock);
  const span = clock.end - clock.start || 1;
  slider.addEventListener("input", () => clock.seek(clock.start + (Number(slider.value) / SLIDER_STEPS) * span));
  const digits = timeDigits(span);
  let shownPlaying: boolean | null = null;
  const update = (): void => {
    if (shownPlaying !== clock.playing) {
      shownPlaying = clock.playing;
      play.replaceChildren(icon(clock.playing ? PAUSE : PLAY, true));
      play.setAttribute("aria-label", clock.playing ? "Pause" : "Play");
    }
    const value = String(Math.round(((clock.time - clock.start) / span) * SLIDER_STEPS));
    if (slider.value !== value) slider.value = value;
    slider.style.setProperty("--done", `${(100 * (clock.time - clock.start)) / span}%`);
    time.textContent = `${clock.time.toFixed(digits)} s`;
    // a screen reader hears the time of a slider that rests, not of every frame
    if (!clock.playing) slider.setAttribute("aria-valuetext", `${clock.time.toFixed(digits)} seconds`);
    const option = String(Math.abs(clock.speed));
    if (speed.value !== option) speed.value = option;
  };
  const end = clock.subscribe(update);
  update();
  return { element: el("div", { class: "player-bar" }, play, slider, time, speed), end };
}

function speedSelect(clock: Clock): HTMLSelectElement {
  const options = SPEEDS.map((speed) => el("option", { value: String(speed), text: `${speed}×` }));
  const select = el("select", { class: "player-speed", "aria-label": "Speed" }, ...options);
  select.addEventListener("change", () => {
    clock.speed = Math.sign(clock.speed) * Number(select.value);
  });
  return select;
}

/** Decimals of a time: hundredths of a second, finer for what is over within one. */
export function timeDigits(span: number): number {
  return span < 2 ? 3 : span < 100 ? 2 : 1;
}

/** The speed one step slower or faster than `speed`, in the direction it has. */
export function neighbourSpeed(speed: number, by: 1 | -1): number {
  const size = Math.abs(speed);
  const beyond = by > 0 ? SPEEDS.find((each) => each > size) : SPEEDS.filter((each) => each < size).at(-1);
  return Math.sign(speed) * (beyond ?? size);
}

function pressed(event: KeyboardEvent, clock: Clock, view: ArmView): void {
  if (event.ctrlKey || event.metaKey || event.altKey || !keyAction(event, clock, view)) return;
  event.preventDefault();
}

/** Do what a key means; false where it means nothing here, or something to the control that has the focus. */
function keyAction(event: KeyboardEvent, clock: Clock, view: ArmView): boolean {
  const focus = event.target as HTMLElement;
  if (focus instanceof HTMLSelectElement) return false;
  if (event.key === " " && focus instanceof HTMLButtonElement) return false;
  const actions: Record<string, () => void> = {
    " ": () => clock.toggle(),
    ArrowRight: () => clock.step(event.shiftKey ? 10 : 1),
    ArrowLeft: () => clock.step(event.shiftKey ? -10 : -1),
    Home: () => clock.seek(clock.start),
    End: () => clock.seek(clock.end),
    ",": () => (clock.speed = neighbourSpeed(clock.speed, -1)),
    ".": () => (clock.speed = neighbourSpeed(clock.speed, 1)),
    r: () => (clock.speed = -clock.speed),
    l: () => (clock.loop = !clock.loop),
    g: () => (view.ghosts = !view.ghosts),
  };
  const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  action?.();
  return action !== undefined;
}

/** Call `changed` when the theme of the page or of the host does: by its own switch or the system's. */
function watchTheme(host: HTMLElement, changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  for (const element of [document.documentElement, host]) observer.observe(element, { attributes: true, attributeFilter: ["data-theme", "class"] });
  const dark = matchMedia("(prefers-color-scheme: dark)");
  dark.addEventListener("change", changed);
  return () => {
    observer.disconnect();
    dark.removeEventListener("change", changed);
  };
}

/**
 * Play by itself once it is first seen, unless the reader wants no motion; pause when it goes out of view,
 * and go on when it comes back, unless the reader paused it.
 */
function watchSight(root: HTMLElement, clock: Clock): () => void {
  let resume = !matchMedia("(prefers-reduced-motion: reduce)").matches;
  const observer = new IntersectionObserver(
    (entries) => {
      const seen = entries.at(-1)?.isIntersecting ?? false;
      if (seen && resume) {
        resume = false;
        clock.play();
      } else if (!seen && clock.playing) {
        resume = true;
        clock.pause();
      }
    },
    { threshold: 0.2 },
  );
  observer.observe(root);
  return () => observer.disconnect();
}
