// The bar at the bottom: plays, steps, scrubs and tells the time.

import type { Clock } from "./clock";
import type { Finding } from "./document";
import { el, icon, setAttribute } from "./dom";
import { currentTheme, onTheme, toggleTheme } from "./theme";

export const SPEEDS: readonly number[] = [0.1, 0.25, 0.5, 1, 2, 4];

/** The speed one notch slower (−1) or faster (+1); the direction of time stays. */
export function nextSpeed(speed: number, notches: -1 | 1): number {
  const size = Math.abs(speed);
  const next =
    notches > 0 ? SPEEDS.find((s) => s > size * 1.001) : [...SPEEDS].reverse().find((s) => s < size * 0.999);
  return Math.sign(speed) * (next ?? size);
}

/** "0.25×"; backwards it is "−0.25×". */
export function speedText(speed: number): string {
  return `${speed < 0 ? "−" : ""}${Number(Math.abs(speed).toFixed(2))}×`;
}

/** Seconds with as many digits as the span deserves: a swing of 2 s in ms, an hour in tenths. */
export function timeText(time: number, span: number): string {
  const digits = span < 20 ? 3 : span < 600 ? 2 : 1;
  return `${time.toFixed(digits).replace("-", "−")} s`;
}

/** Where a time lies on the slider, in per cent. */
export function percentOf(time: number, start: number, end: number): number {
  if (end <= start) return 0;
  return Math.min(100, Math.max(0, (100 * (time - start)) / (end - start)));
}

export const PLAY = "M8 5.2v13.6L19 12z";
export const PAUSE = "M7 5h3.6v14H7zM13.4 5H17v14h-3.6z";
const REVERSE = "M20 12H5m6-6-6 6 6 6";
const STEP_BACK = "M18 5.5v13L8.5 12zM5 5.5h2v13H5z";
export const STEP_ON = "M6 5.5v13l9.5-6.5zM17 5.5h2v13h-2z";
const LOOP = "M17 2.5 20.5 6 17 9.5M3.5 11V9a3 3 0 0 1 3-3h14M7 21.5 3.5 18 7 14.5M20.5 13v2a3 3 0 0 1-3 3h-14";
const SUN = "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM12 2v2.5M12 19.5V22M4.9 4.9l1.8 1.8M17.3 17.3l1.8 1.8M2 12h2.5M19.5 12H22M4.9 19.1l1.8-1.8M17.3 6.7l1.8-1.8";
const MOON = "M20 14.2A8.3 8.3 0 0 1 9.8 4a8.3 8.3 0 1 0 10.2 10.2Z";
const KEYBOARD = "M3 6.5h18v11H3zM7 10.2h.01M11 10.2h.01M15 10.2h.01M8 14h8";

/** A button with an icon, and its name for those who do not see it. */
export function iconButton(name: string, path: string, click: () => void, filled = false): HTMLButtonElement {
  return el("button", { type: "button", class: "ulna-button", "aria-label": name, title: name, on: { click } }, icon(path, filled));
}

/** Light or dark: says which it would become. */
export function themeButton(): { element: HTMLButtonElement; stop: () => void } {
  const element = iconButton("", SUN, toggleTheme);
  const show = (): void => {
    const dark = currentTheme() === "dark";
    const name = dark ? "Light colours (T)" : "Dark colours (T)";
    element.replaceChildren(icon(dark ? SUN : MOON));
    element.setAttribute("aria-label", name);
    element.title = name;
  };
  show();
  return { element, stop: onTheme(show) };
}

export function keysButton(show: () => void): HTMLButtonElement {
  return iconButton("Keys (?)", KEYBOARD, show);
}

export class Transport {
  readonly element: HTMLElement;
  readonly #clock: Clock;
  readonly #play: HTMLButtonElement;
  readonly #reverse: HTMLButtonElement;
  readonly #loop: HTMLButtonElement;
  readonly #slider: HTMLInputElement;
  readonly #fill: HTMLElement;
  readonly #time: HTMLElement;
  readonly #speed: HTMLSelectElement;
  readonly #stops: (() => void)[] = [];
  #playing: boolean | null = null;

  constructor(clock: Clock, findings: readonly Finding[], showKeys: () => void) {
    this.#clock = clock;
    this.#play = iconButton("Play (Space)", PLAY, () => clock.toggle(), true);
    this.#play.classList.add("ulna-play");
    this.#reverse = iconButton("Reverse (R)", REVERSE, () => reverse(clock));
    this.#loop = iconButton("Loop (L)", LOOP, () => toggleLoop(clock));
    this.#slider = this.#makeSlider();
    this.#fill = el("div", { class: "ulna-track-fill" });
    this.#time = el("output", { class: "ulna-time", "aria-label": "Time", "aria-live": "off" });
    this.#speed = this.#makeSpeed();
    const theme = themeButton();
    this.#stops.push(theme.stop);
    const track = el("div", { class: "ulna-track" }, el("div", { class: "ulna-track-rail" }, this.#fill));
    track.append(marks(clock, findings), this.#slider);
    const total = el("span", { class: "ulna-total", text: ` / ${timeText(clock.end, clock.end - clock.start)}` });
    this.element = el(
      "div",
      { class: "ulna-transport", role: "region", "aria-label": "Playback" },
      el(
        "div",
        { class: "ulna-transport-main" },
        this.#reverse,
        iconButton("One frame back (←)", STEP_BACK, () => clock.step(-1), true),
        this.#play,
        iconButton("One frame forward (→)", STEP_ON, () => clock.step(1), true),
      ),
      el("div", { class: "ulna-scrub" }, track, el("div", { class: "ulna-times" }, this.#time, total)),
      el("div", { class: "ulna-transport-more" }, this.#speed, this.#loop, theme.element, keysButton(showKeys)),
    );
    this.#stops.push(clock.subscribe(() => this.#show()));
    this.#show();
  }

  destroy(): void {
    for (const stop of this.#stops) stop();
    this.element.remove();
  }

  #makeSlider(): HTMLInputElement {
    const { start, end } = this.#clock;
    const slider = el("input", { type: "range", class: "ulna-slider", min: start, max: end, step: "any", "aria-label": "Time" });
    slider.addEventListener("input", () => this.#clock.seek(Number(slider.value)));
    return slider;
  }

  #makeSpeed(): HTMLSelectElement {
    const options = SPEEDS.map((speed) => el("option", { value: speed, text: speedText(speed) }));
    const select = el("select", { class: "ulna-speed", "aria-label": "Speed (, and .)", title: "Speed (, and .)" }, ...options);
    select.addEventListener("change", () => {
      this.#clock.speed = Math.sign(this.#clock.speed) * Number(select.value);
    });
    return select;
  }

  #show(): void {
    const { time, start, end, playing, speed, loop } = this.#clock;
    const span = end - start;
    const text = timeText(time, span);
    if (this.#time.textContent !== text) this.#time.textContent = text;
    this.#slider.value = String(time);
    this.#fill.style.transform = `scaleX(${percentOf(time, start, end) / 100})`;
    if (playing !== this.#playing) this.#showPlaying(playing);
    if (!playing) setAttribute(this.#slider, "aria-valuetext", `${text} of ${timeText(end, span)}`);
    setAttribute(this.#reverse, "aria-pressed", String(speed < 0));
    setAttribute(this.#loop, "aria-pressed", String(loop));
    const size = String(Math.abs(speed));
    if (this.#speed.value !== size) this.#speed.value = size;
  }

  #showPlaying(playing: boolean): void {
    this.#playing = playing;
    const name = playing ? "Pause (Space)" : "Play (Space)";
    this.#play.replaceChildren(icon(playing ? PAUSE : PLAY, true));
    this.#play.setAttribute("aria-label", name);
    this.#play.title = name;
  }
}

/** Play the other way; from a pause as well. */
export function reverse(clock: Clock): void {
  clock.speed = -clock.speed;
}

export function toggleLoop(clock: Clock): void {
  clock.loop = !clock.loop;
}

/** A mark above the slider for each finding with a time; the list of findings holds the buttons for the keyboard. */
function marks(clock: Clock, findings: readonly Finding[]): HTMLElement {
  const box = el("div", { class: "ulna-marks", "aria-hidden": "true" });
  for (const finding of findings) {
    const { t } = finding;
    if (t === null || t < clock.start || t > clock.end) continue;
    const title = `${timeText(t, clock.end - clock.start)}: ${finding.text}`;
    const mark = el("span", { class: "ulna-mark", data: { level: finding.level }, title, on: { click: () => clock.seek(t) } });
    mark.style.left = `${percentOf(t, clock.start, clock.end)}%`;
    box.append(mark);
  }
  return box;
}
