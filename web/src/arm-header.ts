/** What stands above the arm: whose motion it is and where its tip is; and the same in words. */

import type { Arm, Motion } from "./document";
import { el } from "./dom";
import type { LengthUnit } from "./geometry";
import { at } from "./interpolate";

/** So many motions are named; of more only the main one is, and the others are counted. */
const MOST_NAMES = 3;

export class ArmHeader {
  readonly element: HTMLElement;
  readonly #x = el("span", { class: "arm-number" });
  readonly #y = el("span", { class: "arm-number" });
  readonly #pen = el("span", { class: "arm-pen" });
  readonly #status: HTMLElement;
  readonly #unit: LengthUnit;

  /** `hasPen`: whether a pen is lifted on the way, so that travel has a line of its own. */
  constructor(motions: readonly { motion: Motion; colour: number }[], unit: LengthUnit, hasPen = false) {
    this.#unit = unit;
    this.#status = el("span", { class: "arm-status", hidden: true, text: motions[0]?.motion.status ?? "" });
    const named = motions.length > MOST_NAMES ? motions.slice(0, 1) : motions;
    const names = named.map(({ motion, colour }) => name(motion.label, colour));
    const unnamed = motions.length - named.length;
    if (unnamed > 0) names.push(el("span", { class: "arm-more", text: `and ${unnamed} more` }));
    if (hasPen) names.push(el("span", { class: "arm-name arm-travel" }, el("span", { class: "arm-dashes" }), "travel, pen up"));
    const axes = [axis("x", this.#x, unit), axis("y", this.#y, unit)];
    const tip = el("span", { class: "arm-tip", hidden: motions.length === 0 }, ...axes, hasPen ? this.#pen : null);
    this.element = el("div", { class: "arm-head" }, el("span", { class: "arm-names" }, ...names, this.#status), tip);
  }

  update(x: number, y: number, ended: boolean, pen = ""): void {
    write(this.#pen, pen);
    write(this.#x, number(x * this.#unit.factor, this.#unit.digits));
    write(this.#y, number(y * this.#unit.factor, this.#unit.digits));
    if (this.#status.hidden === ended) this.#status.hidden = !ended;
  }
}

/** A pose in words, for those who do not see it, with the state of a pen if there is one. */
export function describePose(
  arm: Arm,
  motion: Motion,
  unit: LengthUnit,
  time: number,
  q: ArrayLike<number>,
  x: number,
  y: number,
  pen = "",
): string {
  const angles = arm.joints.map((joint, i) => `${joint.name} ${number((at(q, i) * 180) / Math.PI, 1)}°`).join(", ");
  const tip = `x ${number(x * unit.factor, unit.digits)} ${unit.name}, y ${number(y * unit.factor, unit.digits)} ${unit.name}`;
  return `${arm.name}, ${motion.label}, at ${time.toFixed(2)} s: joint angles ${angles}; tip at ${tip}${pen && `, ${pen}`}.`;
}

function name(label: string, colour: number): HTMLElement {
  return el("span", { class: "arm-name" }, el("span", { class: `arm-swatch arm-swatch-${colour}` }), el("span", { text: label }));
}

function axis(letter: string, value: HTMLElement, unit: LengthUnit): HTMLElement {
  return el("span", { class: "arm-axis" }, `${letter} `, value, ` ${unit.name}`);
}

/** A number with a true minus sign, never minus zero. */
export function number(value: number, digits: number): string {
  const text = value.toFixed(digits);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}

function write(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
