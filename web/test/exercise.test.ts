import { describe, expect, it } from "vitest";
import { type AskedQuantity, type ExerciseContent, judge, wrapped } from "../src/playground/exercise";

const DEGREE = Math.PI / 180;

function content(asked: readonly AskedQuantity[], answers: readonly (readonly number[])[]): ExerciseContent {
  return { kind: "reach", title: "", seed: "7", paragraphs: [], given: [], asked, answers, steps: "", note: "" };
}

const angle = (id: string): AskedQuantity => ({ id, label: id, quantity: "angle", unit: "deg", tolerance: 0.5 * DEGREE });
const reach = content(
  [angle("q1"), angle("q2")],
  [
    [20 * DEGREE, 70 * DEGREE],
    [75 * DEGREE, -70 * DEGREE],
  ],
);
const torque = content([{ id: "tau1", label: "τ", quantity: "torque", unit: "N*m", tolerance: 0.01 }], [[-16.186]]);

const texts = (exercise: ExerciseContent, ...typed: string[]): string[] => judge(exercise, typed).verdicts.map((verdict) => verdict.text);
const states = (exercise: ExerciseContent, ...typed: string[]): string[] => judge(exercise, typed).verdicts.map((verdict) => verdict.state);

describe("judge", () => {
  it("takes either posture, in any unit and whole turns apart", () => {
    expect(judge(reach, ["20", "70"]).right).toBe(2);
    expect(judge(reach, ["75,2°", "−70 deg"]).right).toBe(2);
    expect(judge(reach, ["-285", "290"]).right).toBe(2);
    expect(judge(reach, [`${20 * DEGREE} rad`, "70"]).right).toBe(2);
  });

  it("does not take one angle of each", () => {
    const mixed = judge(reach, ["20", "-70"]);
    expect(mixed.right).toBe(1);
    expect(mixed.verdicts.map((verdict) => verdict.text)).toContain("This belongs to another posture than the rest of your answer.");
  });

  it("measures a wrong answer by the nearest posture", () => {
    expect(texts(reach, "78", "-70")).toEqual(["Too large by 3°.", "Right."]);
    expect(texts(reach, "16.8", "66")).toEqual(["Too small by 3.2°.", "Too small by 4°."]);
  });

  it("keeps to the tolerance on both sides", () => {
    expect(states(reach, "20.49", "69.51")).toEqual(["right", "right"]);
    expect(states(reach, "20.51", "70")).toEqual(["wrong", "right"]);
    expect(states(torque, "-16.34")).toEqual(["right"]);
    expect(states(torque, "-16.36")).toEqual(["wrong"]);
  });

  it("leaves open what is empty, and tells what cannot be read", () => {
    expect(judge(reach, ["20", " "])).toMatchObject({ right: 1, verdicts: [{ state: "right" }, { state: "open", text: "" }] });
    expect(states(reach, "20")).toEqual(["right", "open"]);
    expect(texts(torque, "16 kg")).toEqual(["“16 kg” is a mass: a torque is needed, such as 1.5 N*m."]);
    expect(states(torque, "16 kg")).toEqual(["unread"]);
  });

  it.each([
    ["16.2", "The size is right, the sign is wrong."],
    ["-32.4", "This is twice the right value."],
    ["-8.09", "This is half the right value."],
    ["-1.65", "A factor of g seems to be missing."],
    ["-158.8", "This seems to have a factor of g too many."],
    ["-161.9", "This is off by a factor of 10: check the units."],
    ["-1.6186", "This is off by a factor of 1/10: check the units."],
    ["-16186", "This is off by a factor of 1000: check the units."],
    ["-18.13", "Too large by 12 %."],
    ["-14.24", "Too small by 12 %."],
    ["-70", "Too large by a factor of 4.3."],
    ["-4", "Too small by a factor of 4."],
    ["18.13", "The sign is wrong, and so is the size: too large by 12 %."],
    ["0", "It is not zero."],
  ])("hints at %s", (typed, text) => expect(texts(torque, typed)).toEqual([text]));

  it("sees degrees and radians taken for one another", () => {
    const one = content([angle("q1")], [[40 * DEGREE]]);
    expect(texts(one, String(40 * DEGREE))).toEqual(["This looks like radians read as degrees: write rad behind the number if that is what it is."]);
    expect(texts(one, "40 rad")).toEqual(["This looks like degrees read as radians: write deg behind the number if that is what it is."]);
    const rate = content([{ id: "w", label: "ω", quantity: "rate", unit: "rad/s", tolerance: 0.01 }], [[4.784]]);
    expect(texts(rate, "274.1")).toEqual(["This looks like degrees read as radians: write deg/s behind the number if that is what it is."]);
    expect(texts(rate, "0.7614")).toEqual(["A factor of 2π seems to be missing: is it in turns?"]);
    expect(states(rate, "274.1 deg/s")).toEqual(["right"]);
  });

  it("sees nothing in angles that are merely small", () => {
    const small = content([angle("q1")], [[1 * DEGREE]]);
    expect(texts(small, "60")).toEqual(["Too large by 59°."]);
    expect(texts(small, "3")).toEqual(["Too large by 2°."]);
    expect(texts(content([angle("q1")], [[0]]), "3")).toEqual(["Too large by 3°."]);
  });

  it("says of an angle that its sign is wrong", () => {
    expect(texts(content([angle("q1")], [[40 * DEGREE]]), "-40")).toEqual(["The size is right, the sign is wrong."]);
  });
});

describe("wrapped", () => {
  it("keeps sine and cosine, between −π and π", () => {
    for (const turn of [-20, -3.2, -3.1, 0, 3.1, 3.2, 100]) {
      expect(Math.abs(wrapped(turn))).toBeLessThanOrEqual(Math.PI);
      expect(Math.sin(wrapped(turn))).toBeCloseTo(Math.sin(turn), 12);
      expect(Math.cos(wrapped(turn))).toBeCloseTo(Math.cos(turn), 12);
    }
  });
});
