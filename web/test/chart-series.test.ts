import { describe, expect, test } from "vitest";
import {
  align,
  type Curve,
  curvesOf,
  drawnValues,
  extremes,
  isOutermost,
  isUpper,
  logTickTexts,
  longestNumber,
  numberText,
  scaleFor,
  summary,
  tickTexts,
  valueAt,
  valueText,
} from "../src/chart-series";
import { type ChartSpec, fromColumns } from "../src/document";
import { fixture } from "./fixture";

function curve(t: number[], y: number[], factor = 1): Curve {
  return { name: "y", color: 0, dash: false, t: Float64Array.from(t), y: Float64Array.from(y), factor };
}

const spec: ChartSpec = { id: "e", title: "Error", unit: "mm", factor: 1000, digits: 2, series: [], limits: [] };

describe("curves", () => {
  test("a chart's curves are its series in their columns", () => {
    const { header, columns } = fixture();
    const loaded = fromColumns(header, columns);
    const chart = header.charts[0] as ChartSpec;
    const curves = curvesOf(chart, [loaded]);
    expect(curves.map(({ name }) => name)).toEqual(["open", "closed"]);
    expect(curves[0]?.y).toBe(columns[chart.series[0]?.y as number]);
    expect(curves[0]?.factor).toBe(1000);
  });

  test("equal labels are told apart by their motions; other documents are dashed", () => {
    const { header, columns } = fixture();
    const chart = structuredClone(header.charts[1] as ChartSpec);
    for (const [i, series] of chart.series.entries()) Object.assign(series, { label: "τ", motion: ["open", "closed"][i] });
    const loaded = fromColumns(header, columns);
    expect(curvesOf(chart, [loaded]).map(({ name }) => name)).toEqual(["τ, open", "τ, closed"]);
    expect(curvesOf(chart, [loaded, loaded]).map(({ dash }) => dash)).toEqual([false, false, true, true]);
  });

  test("a value is linear between samples, in the shown unit", () => {
    const line = curve([0, 1, 3], [0, 1, 5], 1000);
    expect(valueAt(line, 1)).toBe(1000);
    expect(valueAt(line, 2)).toBe(3000);
  });

  test("there is no value in a gap nor outside of the curve", () => {
    const broken = curve([1, 2, 3], [1, Number.NaN, 3]);
    expect(valueAt(broken, 1)).toBe(1);
    expect(valueAt(broken, 1.5)).toBeNaN();
    expect(valueAt(broken, 0.9)).toBeNaN();
    expect(valueAt(broken, 3.1)).toBeNaN();
    expect(valueAt(broken, 3 + 1e-7)).toBe(3);
    expect(valueAt(curve([], []), 0)).toBeNaN();
  });

  test("extremes tell when, and skip gaps", () => {
    const { low, high } = extremes(curve([0, 1, 2, 3], [Number.NaN, 4, -1, 4], 2));
    expect(low).toEqual({ value: -2, time: 2 });
    expect(high).toEqual({ value: 8, time: 1 });
    expect(extremes(curve([0], [Number.NaN])).low.value).toBeNaN();
  });
});

describe("common times", () => {
  test("equal times need no more", () => {
    const { t, samples } = align([curve([0, 1], [5, 6]), curve([0, 1], [7, 8])]);
    expect(t).toEqual([0, 1]);
    expect(samples.map((s) => [...s])).toEqual([[0, 1], [0, 1]]);
  });

  test("different times are merged, each curve keeps its own samples", () => {
    const { t, samples } = align([curve([0, 2], [1, 1]), curve([1, 2, 3], [1, 1, 1])]);
    expect(t).toEqual([0, 1, 2, 3]);
    expect(samples.map((s) => [...s])).toEqual([[0, -1, 1, -1], [-1, 0, 1, 2]]);
  });

  test("a jump, two samples at one time, stays", () => {
    const { t, samples } = align([curve([0, 1, 1, 2], [0, 0, 5, 5]), curve([1], [9])]);
    expect(t).toEqual([0, 1, 1, 2]);
    expect(samples.map((s) => [...s])).toEqual([[0, 1, 2, 3], [-1, 0, -1, -1]]);
  });

  test("NaN is a gap, a time of another curve is none; a logarithm needs positive values", () => {
    const broken = curve([0, 1, 2], [1, Number.NaN, -3], 10);
    const samples = Int32Array.of(0, -1, 1, 2);
    expect(drawnValues(broken, samples, false)).toEqual([10, undefined, null, -30]);
    expect(drawnValues(broken, samples, true)).toEqual([10, undefined, null, null]);
  });
});

describe("scale", () => {
  test("all values are on it, with room", () => {
    const [low, high] = scaleFor(-3, 7, [], false);
    expect(low).toBeLessThan(-3);
    expect(high).toBeGreaterThan(7);
  });

  test("values that are near zero for their size start at zero", () => {
    expect(scaleFor(0, 5, [], false)[0]).toBe(0);
    expect(scaleFor(1, 5, [], false)[0]).toBe(0);
    expect(scaleFor(4, 5, [], false)[0]).toBeGreaterThan(0);
    expect(scaleFor(-5, -1, [], false)[1]).toBe(0);
  });

  test("a near limit is on it, a far one is not", () => {
    expect(scaleFor(-5, 20, [30], false)[1]).toBeGreaterThan(30);
    expect(scaleFor(-5, 20, [360], false)[1]).toBeLessThan(30);
  });

  test("it is never empty", () => {
    for (const [min, max] of [[0, 0], [3, 3], [Number.NaN, Number.NaN], [Infinity, -Infinity]] as const) {
      const [low, high] = scaleFor(min, max, [], false);
      expect(high).toBeGreaterThan(low);
    }
    expect(scaleFor(Number.NaN, Number.NaN, [], true)).toEqual([0.1, 1]);
    const [least, most] = scaleFor(1e-16, 1000, [], true);
    expect(Math.log10(most / least)).toBeCloseTo(9);
    const decades = logTickTexts(Array.from({ length: 10 }, (_, i) => 10 ** (i - 6)));
    expect(decades.filter((text) => text !== "")).toHaveLength(5);
    expect(scaleFor(1, 1, [], true)).toEqual([1, 10]);
  });

  test("a logarithmic one spans whole decades and near limits", () => {
    expect(scaleFor(0.002, 30, [], true)).toEqual([0.001, 100]);
    expect(scaleFor(0.002, 30, [200], true)).toEqual([0.001, 1000]);
    expect(scaleFor(0.002, 30, [2e5], true)).toEqual([0.001, 100]);
  });

  test("limits are upper ones unless negative or called otherwise", () => {
    expect(isUpper({ label: "torque", value: 3 })).toBe(true);
    expect(isUpper({ label: "torque", value: -3 })).toBe(false);
    expect(isUpper({ label: "lower stop", value: 3 })).toBe(false);
    expect(isUpper({ label: "upper stop", value: -3 })).toBe(true);
  });
});

test("of the limits on one side only the last is beyond all", () => {
  const limits = [8, 36, -5, -9].map((value) => ({ label: "torque", value }));
  expect(limits.map((limit) => isOutermost(limit, limits))).toEqual([false, true, false, true]);
});

describe("texts", () => {
  test("numbers have a true minus, and a dash where there is none", () => {
    expect(numberText(-1.256, 2)).toBe("−1.26");
    expect(numberText(-0.001, 2)).toBe("0.00");
    expect(numberText(Number.NaN, 2)).toBe("–");
    expect(numberText(123456789, 2)).toBe("1.23e+8");
  });

  test("ticks have the decimals of their distance", () => {
    expect(tickTexts([0, 0.5, 1], 0.5)).toEqual(["0.0", "0.5", "1.0"]);
    expect(tickTexts([0, 2.5, 5], 2.5)).toEqual(["0.0", "2.5", "5.0"]);
    expect(tickTexts([-10, 0, null], 10)).toEqual(["−10", "0", ""]);
    expect(tickTexts([0, 200000], 200000)).toEqual(["0", "2·10⁵"]);
  });

  test("a logarithmic chart shows significant digits", () => {
    const log = { ...spec, log: true };
    expect([0.00123, 12.34, 4321, 0, 1.2e-7].map((value) => valueText(value, log))).toEqual(["0.00123", "12.3", "4321", "0.00", "1.2·10⁻⁷"]);
    expect(valueText(0.00123, spec)).toBe("0.00");
  });

  test("ticks of a logarithmic scale are powers of ten far from one", () => {
    expect(logTickTexts([1e-6, 0.01, 1, 100, 1e5, null])).toEqual(["10⁻⁶", "0.01", "1", "100", "10⁵", ""]);
  });

  test("the longest number has room", () => {
    expect(longestNumber(curve([0, 1], [-12.5, 3]), spec)).toBe(6);
  });

  test("the summary tells least, greatest and when, in the shown unit", () => {
    const text = summary({ ...spec, limits: [{ label: "tolerance", value: 0.001 }] }, [curve([0, 1, 2], [0.002, 0.001, 0.004], 1000)]);
    expect(text).toBe("y: minimum 1.00 mm at 1.00 s, maximum 4.00 mm at 2.00 s. Limit tolerance: 1.00 mm.");
    expect(summary(spec, [curve([0], [Number.NaN])])).toBe("y has no values.");
    expect(summary(spec, [curve([0, 1], [3, 3])])).toBe("y is 3.00 mm throughout.");
  });
});
