/** What panels are made of: sliders with a number and its unit, switches, choices. */

import { el } from "../dom";
import { formatQuantity, parseQuantity, unitFactor, unitLabel, type Quantity } from "./units";

export interface SliderOptions {
  label: string;
  quantity: Quantity;
  /** The unit that is shown; the slider itself is in SI. */
  unit: string;
  min: number;
  max: number;
  /** What may be typed, where that is more than the slider shows. */
  bounds?: readonly [number, number];
  change(value: number): void;
}

/** Steps from one end of a slider to the other. */
const STEPS = 500;
const DIGITS = 4;

/** A slider beside a number that can be typed with any unit: "25 cm", "0,25 m". */
export class Slider {
  readonly element: HTMLElement;
  readonly #range: HTMLInputElement;
  readonly #number: HTMLInputElement;
  readonly #problem: HTMLElement;
  readonly #options: SliderOptions;
  #value = Number.NaN;

  constructor(options: SliderOptions, value: number) {
    this.#options = options;
    const { label, unit, min, max } = options;
    const id = `s${(slider += 1)}`;
    this.#range = el("input", { type: "range", class: "ulna-range", id, min, max, step: niceStep((max - min) / STEPS) });
    this.#number = el("input", { type: "text", class: "play-number", inputmode: "decimal", autocomplete: "off", spellcheck: "false", "aria-label": unit ? `${label}, ${unitLabel(unit)}` : label });
    this.#problem = el("p", { class: "play-problem", hidden: true, role: "alert" });
    this.element = el(
      "div",
      { class: "play-slider" },
      el("label", { class: "play-label", for: id, text: label }),
      el("span", { class: "play-value" }, this.#number, unit ? el("span", { class: "play-unit", "aria-hidden": "true", text: unitLabel(unit) }) : null),
      this.#range,
      this.#problem,
    );
    this.#range.addEventListener("input", () => this.#given(Number(this.#range.value)));
    this.#number.addEventListener("change", () => this.#typed());
    this.#number.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.#show(true);
    });
    this.set(value);
  }

  /** Show a value without telling of it. */
  set(value: number): void {
    if (value === this.#value) return;
    this.#value = value;
    this.#show(false);
  }

  #given(value: number): void {
    this.#value = value;
    this.#show(true);
    this.#options.change(value);
  }

  #typed(): void {
    const { quantity, unit, min, max, bounds = [min, max] } = this.#options;
    const parsed = parseQuantity(this.#number.value, quantity, unit);
    if ("problem" in parsed) return this.#tell(parsed.problem);
    const [least, most] = bounds;
    const shown = (value: number): string => formatQuantity(value, unit, DIGITS, quantity);
    if (parsed.value < least || parsed.value > most) return this.#tell(`Got ${shown(parsed.value)}, need ${shown(least)} to ${shown(most)}.`);
    if (parsed.value > max) this.#range.max = String(parsed.value);
    this.#given(parsed.value);
  }

  #tell(problem: string): void {
    this.#problem.textContent = problem;
    this.#problem.hidden = false;
    this.#number.setAttribute("aria-invalid", "true");
  }

  #show(force: boolean): void {
    const { quantity, unit, min, max } = this.#options;
    if (this.#value > Number(this.#range.max)) this.#range.max = String(this.#value);
    this.#range.value = String(this.#value);
    const text = String(Number((this.#value / (unit ? unitFactor(unit, quantity) : 1)).toPrecision(DIGITS))).replace("-", "−");
    if (force || document.activeElement !== this.#number) this.#number.value = text;
    this.#problem.hidden = true;
    this.#number.removeAttribute("aria-invalid");
    this.#range.setAttribute("aria-valuetext", formatQuantity(this.#value, unit, DIGITS, quantity));
    const share = (this.#value - min) / (Math.max(max, Number(this.#range.max)) - min);
    this.#range.style.setProperty("--share", `${Math.min(100, Math.max(0, 100 * share))}%`);
  }
}

let slider = 0;

/** The power of ten, or twice or five times one, that is no larger than `size`. */
function niceStep(size: number): number {
  const power = 10 ** Math.floor(Math.log10(size));
  const factor = [5, 2, 1].find((each) => each * power <= size * (1 + 1e-9)) ?? 1;
  return Number((factor * power).toPrecision(1));
}

/** A round number, at least so large: what a slider ends at. */
export function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 1.5, 2, 3, 4, 5, 6, 8, 10].find((each) => each * power >= value * (1 - 1e-9)) ?? 10;
  return Number((factor * power).toPrecision(2));
}

export class Switch {
  readonly element: HTMLElement;
  readonly #box: HTMLInputElement;

  constructor(label: string, on: boolean, change: (on: boolean) => void, hint = "") {
    this.#box = el("input", { type: "checkbox", class: "play-check" });
    this.#box.checked = on;
    this.#box.addEventListener("change", () => change(this.#box.checked));
    this.element = el("label", { class: "play-switch", title: hint || undefined }, this.#box, el("span", { text: label }));
  }

  set(on: boolean, enabled = true): void {
    this.#box.checked = on;
    this.#box.disabled = !enabled;
  }
}

/** One of several, side by side. */
export class Choice<T extends string> {
  readonly element: HTMLElement;
  readonly #boxes = new Map<T, HTMLInputElement>();

  constructor(label: string, options: readonly (readonly [T, string])[], chosen: T, change: (chosen: T) => void) {
    const name = `c${(slider += 1)}`;
    const parts = options.map(([value, text]) => {
      const box = el("input", { type: "radio", name, value, class: "ulna-hidden" });
      box.checked = value === chosen;
      box.addEventListener("change", () => box.checked && change(value));
      this.#boxes.set(value, box);
      return el("label", { class: "play-option" }, box, el("span", { text }));
    });
    this.element = el("div", { class: "play-choice", role: "radiogroup", "aria-label": label }, ...parts);
  }

  set(chosen: T): void {
    for (const [value, box] of this.#boxes) box.checked = value === chosen;
  }
}

export function button(text: string, click: () => void, title = ""): HTMLButtonElement {
  return el("button", { type: "button", class: "ulna-button ulna-text-button", text, title: title || undefined, on: { click } });
}

/** A card with a heading that folds what it holds away. */
export function card(title: string, open: boolean, ...children: (Node | string)[]): HTMLDetailsElement {
  const summary = el("summary", { class: "play-card-head" }, el("h2", { text: title }));
  const details = el("details", { class: "ulna-card play-card" }, summary, el("div", { class: "play-card-body" }, ...children));
  details.open = open;
  return details;
}
