/**
 * Judging what somebody answered to an exercise.
 *
 * An exercise may have several sets of right answers, of which one has to be met as a whole: the set that agrees in
 * the most quantities, and then is the nearest, is the one that an answer is measured by. An angle may differ by its
 * tolerance in radians, whole turns apart; anything else by that share of its value.
 */

import { formatQuantity, parseQuantity, type Quantity } from "./units";

export interface AskedQuantity {
  readonly id: string;
  readonly label: string;
  readonly quantity: Quantity;
  /** Of a bare number. */
  readonly unit: string;
  /** Of an angle in radians, of anything else relative. */
  readonly tolerance: number;
}

/** An exercise as Python writes it into the page. */
export interface ExerciseContent {
  readonly kind: string;
  readonly title: string;
  /** In digits: it may have more of them than a number here. */
  readonly seed: string;
  readonly paragraphs: readonly string[];
  readonly given: readonly (readonly [label: string, text: string])[];
  readonly asked: readonly AskedQuantity[];
  /** Sets of right answers, SI values in the order of what is asked. */
  readonly answers: readonly (readonly number[])[];
  readonly steps: string;
  readonly note: string;
}

export interface Verdict {
  /** Open where nothing was written, unread where it is no quantity of the right kind. */
  readonly state: "right" | "wrong" | "unread" | "open";
  readonly text: string;
}

export interface Judgement {
  readonly verdicts: readonly Verdict[];
  readonly right: number;
}

const TURN = 2 * Math.PI;
const DEGREE = Math.PI / 180;
const GRAVITY = 9.81;

/** Judge what was typed, one text for each quantity asked. */
export function judge(content: ExerciseContent, typed: readonly string[]): Judgement {
  const read = content.asked.map((asked, i) => parseQuantity(typed[i] ?? "", asked.quantity, asked.unit));
  const values = read.map((one) => ("value" in one ? one.value : null));
  const answers = nearestAnswers(content, values);
  const verdicts = content.asked.map((asked, i): Verdict => {
    const one = read[i];
    if (!typed[i]?.trim()) return { state: "open", text: "" };
    if (!one || "problem" in one) return { state: "unread", text: one?.problem ?? "" };
    const right = answers[i] ?? Number.NaN;
    if (isRight(asked, one.value, right)) return { state: "right", text: "Right." };
    const elsewhere = content.answers.some((row) => row !== answers && isRight(asked, one.value, row[i] ?? Number.NaN));
    return { state: "wrong", text: elsewhere ? OTHER_SET : hint(asked, one.value, right) };
  });
  return { verdicts, right: verdicts.filter((verdict) => verdict.state === "right").length };
}

const OTHER_SET = "This belongs to another posture than the rest of your answer.";

/** The set of right answers that what was read comes closest to. */
export function nearestAnswers(content: ExerciseContent, values: readonly (number | null)[]): readonly number[] {
  const ranked = content.answers.map((answers) => {
    let right = 0;
    let away = 0;
    content.asked.forEach((asked, i) => {
      const value = values[i];
      if (value === null || value === undefined) return;
      const answer = answers[i] ?? Number.NaN;
      if (isRight(asked, value, answer)) right += 1;
      away += distance(asked, value, answer) / asked.tolerance;
    });
    return { answers, right, away };
  });
  ranked.sort((one, other) => other.right - one.right || one.away - other.away);
  return ranked[0]?.answers ?? [];
}

/** Whether a value is right within the tolerance. */
export function isRight(asked: AskedQuantity, value: number, right: number): boolean {
  return distance(asked, value, right) <= asked.tolerance * (1 + 1e-9);
}

/** How far a value is off: of an angle in radians, of anything else relative to what is right. */
function distance(asked: AskedQuantity, value: number, right: number): number {
  return asked.quantity === "angle" ? Math.abs(wrapped(value - right)) : Math.abs(value - right) / Math.abs(right);
}

/** An angle between −π and π. */
export function wrapped(angle: number): number {
  return angle - TURN * Math.round(angle / TURN);
}

const ALIKE = 0.02; // of a value: what angles agree in that are scaled by mistake, however small they are

/** What may have gone wrong, else how far off the value is. */
export function hint(asked: AskedQuantity, value: number, right: number): string {
  const isAngle = asked.quantity === "angle";
  const ratio = value / right;
  const scaled = (by: number): boolean => Math.abs(ratio / by - 1) <= (isAngle ? ALIKE : asked.tolerance);
  const turned = isAngle || asked.quantity === "rate";
  if (turned && scaled(DEGREE)) return `This looks like radians read as degrees: ${unitAdvice(asked, "rad")}`;
  if (turned && scaled(1 / DEGREE)) return `This looks like degrees read as radians: ${unitAdvice(asked, "deg")}`;
  if (isRight(asked, -value, right)) return "The size is right, the sign is wrong.";
  if (scaled(2)) return "This is twice the right value.";
  if (scaled(1 / 2)) return "This is half the right value.";
  if (isAngle) return angleOff(asked, value, right);
  if (ratio === 0) return "It is not zero.";
  if (ratio < 0) return `The sign is wrong, and so is the size: ${howMuch(-ratio)}.`;
  if (scaled(1 / GRAVITY)) return "A factor of g seems to be missing.";
  if (scaled(GRAVITY)) return "This seems to have a factor of g too many.";
  if (scaled(1 / TURN)) return "A factor of 2π seems to be missing: is it in turns?";
  const tens = Math.round(Math.log10(ratio));
  if (tens !== 0 && scaled(10 ** tens)) return `This is off by a factor of ${tens > 0 ? 10 ** tens : `1/${10 ** -tens}`}: check the units.`;
  return `${capital(howMuch(ratio))}.`;
}

function unitAdvice(asked: AskedQuantity, meant: "rad" | "deg"): string {
  const suffix = asked.quantity === "rate" ? "/s" : "";
  return `write ${meant}${suffix} behind the number if that is what it is.`;
}

function angleOff(asked: AskedQuantity, value: number, right: number): string {
  const off = wrapped(value - right);
  const size = Math.abs(off);
  // Two digits tell how far to go, and not the answer.
  return `Too ${off > 0 ? "large" : "small"} by ${formatQuantity(size, asked.unit, size > 10 * DEGREE ? 3 : 2, "angle")}.`;
}

const FAR = 3; // times, from which on a factor says more than per cent

function howMuch(ratio: number): string {
  if (ratio >= FAR) return `too large by a factor of ${short(ratio)}`;
  if (ratio <= 1 / FAR) return `too small by a factor of ${short(1 / ratio)}`;
  return `too ${ratio > 1 ? "large" : "small"} by ${short(100 * Math.abs(ratio - 1))} %`;
}

function short(value: number): string {
  return String(Number(value.toPrecision(2)));
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
