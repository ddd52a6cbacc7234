import { describe, expect, it } from "vitest";
import { fromColumns } from "../src/document";
import type { ReportDocument, SweepSpec } from "../src/document";
import { nearestOf, rangeOf, significant, SweepData } from "../src/sweep-data";

/** Two masses by three payloads, listed from large to small; a value is 10 · place + place. */
function grid(): SweepData {
  const columns = [
    Float64Array.of(1, 2),
    Float64Array.of(0.3, 0.2, 0.1),
    Float64Array.of(0, 1, 2, 10, 11, Number.NaN),
    Float32Array.of(...Array.from({ length: 12 }, (_, k) => k)),
    Float32Array.of(0, 0, 0, 0, 0, 1),
    Float64Array.of(0, 1, 2, 3, 4, 5),
  ];
  const spec: SweepSpec = {
    grid: true,
    shape: [2, 3],
    parameters: [
      { name: "mass", unit: "kg", log: false, values: 0 },
      { name: "payload", unit: "kg", log: false, values: 1 },
    ],
    scalars: [{ name: "peak", about: "", unit: "N·m", components: [""], values: [2] }],
    curves: [{ name: "torque", about: "", unit: "N·m", components: [""], clock: "time [s]", t: { start: 0, step: 1, count: 2 }, values: [3] }],
    status: { words: ["done", "diverged"], well: [true, false], codes: 4 },
    numbers: 5,
  };
  return new SweepData(spec, fromColumns({ sweep: spec } as unknown as ReportDocument, columns));
}

describe("points of a grid", () => {
  const data = grid();

  it("are numbered with the last axis fastest", () => {
    expect(data.pointAt([1, 2])).toBe(5);
    expect(data.pointsAlong(0, [0, 2])).toEqual([2, 5]);
    expect(data.pointsAlong(1, [1, 0])).toEqual([3, 4, 5]);
    for (let point = 0; point < data.count; point++) {
      expect(data.pointAt([data.placeAlong(0, point), data.placeAlong(1, point)])).toBe(point);
    }
  });

  it("have the values of their parameters", () => {
    expect([data.parameterAt(0, 4), data.parameterAt(1, 4)]).toEqual([2, 0.2]);
    expect(data.knobs.map((knob) => knob.text(1))).toEqual(["2", "0.2"]);
  });

  it("are drawn in the order of the values, however they are listed", () => {
    expect(data.ordered(1)).toEqual([2, 1, 0]);
  });

  it("have curves of their own, and say how they ended", () => {
    const [curve] = data.curves;
    expect(curve && Array.from(data.samples(curve, 0, 4))).toEqual([8, 9]);
    expect(data.statusOf(5)).toEqual({ word: "diverged", ok: false });
  });
});

describe("numbers", () => {
  it("have six significant digits, a true minus, and a dash where there are none", () => {
    expect([significant(78.8112345), significant(-0.00012345678), significant(Number.NaN)]).toEqual(["78.8112", "−0.000123457", "–"]);
  });

  it("have a range without those that are missing", () => {
    expect(rangeOf([[3, Number.NaN], [-1]])).toEqual([-1, 3]);
    expect(nearestOf([1, 5, 9], 6)).toBe(1);
  });
});
