import { describe, expect, it } from "vitest";
import { hermiteAt, indexAt, linearAt, nearestIndex, slopesOf } from "../src/interpolate";

const T = [0, 0.1, 0.25, 0.3, 0.5, 0.9, 1];

describe("indexAt", () => {
  it("agrees with a search from the front", () => {
    for (const time of [-1, 0, 0.05, 0.1, 0.2999, 0.3, 0.99, 1, 2]) {
      const slow = Math.max(0, T.filter((t) => t <= time).length - 1);
      expect(indexAt(T, time)).toBe(slow);
    }
  });

  it("takes the later of two samples at one time", () => expect(indexAt([0, 1, 1, 2], 1)).toBe(2));
});

it("finds the nearest sample", () => {
  expect([-1, 0.04, 0.06, 0.26, 5].map((time) => nearestIndex(T, time))).toEqual([0, 0, 1, 2, 6]);
  expect(nearestIndex([], 1)).toBe(-1);
});

describe("linearAt", () => {
  it("is exact for a straight line and at samples, and holds its ends", () => {
    const y = T.map((t) => 3 - 2 * t);
    for (const t of [0, 0.07, 0.3, 0.77, 1]) expect(linearAt(T, y, t)).toBeCloseTo(3 - 2 * t, 14);
    expect([linearAt(T, y, -4), linearAt(T, y, 4)]).toEqual([3, 1]);
  });

  it("is a gap beside a gap, but not at a sample", () => {
    const y = [1, Number.NaN, 3, 4, 5, 6, 7];
    expect(linearAt(T, y, 0.05)).toBeNaN();
    expect(linearAt(T, y, 0.2)).toBeNaN();
    expect(linearAt(T, y, 0)).toBe(1);
    expect(linearAt(T, y, 0.25)).toBe(3);
  });
});

describe("hermiteAt", () => {
  it("is exact for a parabola inside", () => {
    const f = (t: number): number => 1 + 2 * t + 3 * t * t;
    const y = T.map(f);
    const slopes = slopesOf(T, y);
    for (const t of [0.12, 0.26, 0.4, 0.7]) expect(hermiteAt(T, y, slopes, t)).toBeCloseTo(f(t), 13);
  });

  it("gives samples exactly and holds its ends", () => {
    const y = T.map(Math.sin);
    const slopes = slopesOf(T, y);
    T.forEach((t, i) => expect(hermiteAt(T, y, slopes, t)).toBe(y[i]));
    expect(hermiteAt(T, y, slopes, -1)).toBe(y[0]);
    expect(hermiteAt(T, y, slopes, 9)).toBe(y[6]);
  });

  it("is at least of third order on a smooth motion", () => {
    const worst = (count: number): number => {
      const t = Array.from({ length: count + 1 }, (_, i) => (10 * i) / count);
      const y = t.map(Math.sin);
      const slopes = slopesOf(t, y);
      let most = 0;
      for (let x = 1; x < 9; x += 0.013) most = Math.max(most, Math.abs(hermiteAt(t, y, slopes, x) - Math.sin(x)));
      return most;
    };
    expect(Math.log2(worst(100) / worst(200))).toBeGreaterThan(2.8);
  });

  it("hardly overshoots where a motion stops dead", () => {
    const t = [0, 1, 2, 3, 4];
    const y = [0, 1, 2, 2, 2];
    const slopes = slopesOf(t, y);
    for (let x = 0; x < 4; x += 0.01) expect(hermiteAt(t, y, slopes, x)).toBeLessThan(2 + 2 / 27 + 1e-9);
  });

  it("lets a jump be a jump", () => {
    const t = [0, 1, 1, 2];
    const y = [0, 0, 5, 5];
    const slopes = slopesOf(t, y);
    expect([0.9, 1, 1.1].map((x) => hermiteAt(t, y, slopes, x))).toEqual([0, 5, 5]);
  });
});
