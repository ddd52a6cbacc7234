import { describe, expect, it } from "vitest";
import { describePose, number } from "../src/arm-header";
import { lengthUnit } from "../src/geometry";
import { loadColour, motionColour, type Palette } from "../src/palette";
import { neighbourSpeed, playedLabels, timeDigits } from "../src/player";
import { fixture } from "./fixture";

describe("a player", () => {
  it("shows the closed loop first and a plan only where there is nothing else", () => {
    const { motions } = fixture("following").header;
    const plan = { ...fixture("plan").header.motions[0] } as (typeof motions)[number];
    expect(playedLabels([plan, ...motions])).toEqual(["closed loop", "open loop"]);
    expect(playedLabels([plan])).toEqual(["plan"]);
    expect(playedLabels([])).toEqual([]);
  });

  it("steps through its speeds and keeps the direction", () => {
    expect([0.1, 0.25, 1, 4].map((speed) => neighbourSpeed(speed, 1))).toEqual([0.25, 0.5, 2, 4]);
    expect([0.1, 0.25, 1, 4].map((speed) => neighbourSpeed(speed, -1))).toEqual([0.1, 0.1, 0.5, 2]);
    expect(neighbourSpeed(-1, 1)).toBe(-2);
    expect(neighbourSpeed(3, -1)).toBe(2);
  });

  it("tells times as finely as the motion is short", () => {
    expect([0.5, 10, 600].map(timeDigits)).toEqual([3, 2, 1]);
  });
});

describe("words about a pose", () => {
  it("name the arm, the motion, the time, the angles and the tip", () => {
    const { arm, motions } = fixture("run").header;
    const motion = motions[0];
    if (!motion) throw new Error("a motion");
    expect(describePose(arm, motion, lengthUnit(1.6), 1.5, [Math.PI / 2, -Math.PI / 4], 0.5, -0.25)).toBe(
      "two-link, run, at 1.50 s: joint angles shoulder 90.0°, elbow −45.0°; tip at x 0.500 m, y −0.250 m.",
    );
    expect(describePose(arm, motion, lengthUnit(1.6), 1.5, [0, 0], 1.6, 0, "pen up")).toMatch(/y 0\.000 m, pen up\.$/);
  });

  it("have a minus sign, but none before zero", () => {
    expect([number(-1.25, 1), number(-0.0001, 3), number(2, 0)]).toEqual(["−1.3", "0.000", "2"]);
  });
});

describe("colours", () => {
  it("of a motion are those of the chart that compares motions", () => {
    const { header } = fixture("following");
    expect([motionColour(header, "open loop"), motionColour(header, "closed loop")]).toEqual([1, 0]);
    const [first, second] = header.charts[0]?.series ?? [];
    if (!first || !second) throw new Error("two series");
    Object.assign(first, { motion: "open loop", color: 4 });
    Object.assign(second, { motion: "closed loop", color: 2 });
    expect([motionColour(header, "open loop"), motionColour(header, "closed loop")]).toEqual([4, 2]);
  });

  it("of members differ", () => {
    const { header } = fixture("batch");
    expect(header.motions.slice(0, 3).map((motion) => motionColour(header, motion.label))).toEqual([0, 1, 2]);
  });

  it("of a torque end at the alarm, also beyond its limit", () => {
    const palette = { load: Array.from({ length: 21 }, (_, i) => `step ${i}`), bad: "bad" } as unknown as Palette;
    expect([-1, 0, 0.5, 1, 7].map((share) => loadColour(palette, share))).toEqual(["step 0", "step 0", "step 10", "step 20", "step 20"]);
  });
});
