import { describe, expect, it } from "vitest";
import { angleStep, emptyBounds, forward, lengthUnit, linkRadii, multiples, niceStep, type Outline, padded, stretch, taperedCapsule, Viewport } from "../src/geometry";

describe("forward", () => {
  it("adds relative angles along the chain", () => {
    const pose = forward([1, 0.5], [2, 3], [Math.PI / 2, -Math.PI / 2], new Float64Array(6));
    [2, 3, 2, 4, 2.5, 4].forEach((value, i) => expect(pose[i]).toBeCloseTo(value, 14));
  });

  it("keeps link lengths", () => {
    const lengths = [0.3, 0.9, 0.2, 0.7];
    const pose = forward(lengths, [0, 0], [1, 2, -0.4, 9], new Float64Array(10));
    lengths.forEach((length, i) => {
      const [x1, y1, x2, y2] = [...pose.slice(2 * i, 2 * i + 4)] as [number, number, number, number];
      expect(Math.hypot(x2 - x1, y2 - y1)).toBeCloseTo(length, 14);
    });
  });
});

describe("taperedCapsule", () => {
  /** Where the straight sides begin and end. */
  function sides(x1: number, y1: number, r1: number, x2: number, y2: number, r2: number): [number, number, number, number, number][] {
    const arcs: [number, number, number, number, number][] = [];
    const path: Outline = { moveTo() {}, lineTo() {}, closePath() {}, arc: (x, y, r, from, to) => void arcs.push([x, y, r, from, to]) };
    taperedCapsule(path, x1, y1, r1, x2, y2, r2);
    return arcs;
  }

  it("has sides that touch both circles", () => {
    const [first, second] = sides(1, 2, 3, 11, -4, 1.5);
    if (!first || !second) throw new Error("two arcs");
    // from the end of the first arc to the start of the second: perpendicular to both radii
    const [x1, y1, r1, , to] = first;
    const [x2, y2, r2, from] = second;
    const side = [x2 + r2 * Math.cos(from) - x1 - r1 * Math.cos(to), y2 + r2 * Math.sin(from) - y1 - r1 * Math.sin(to)];
    for (const angle of [to, from]) {
      expect((side[0] ?? 1) * Math.cos(angle) + (side[1] ?? 1) * Math.sin(angle)).toBeCloseTo(0, 12);
    }
  });

  it("is the greater disc where it holds the lesser one", () => {
    expect(sides(0, 0, 5, 1, 0, 2)).toEqual([[0, 0, 5, 0, 2 * Math.PI]]);
    expect(sides(0, 0, 2, 1, 0, 5)).toEqual([[1, 0, 5, 0, 2 * Math.PI]]);
  });
});

it("tapers from the base to the tip", () => {
  for (const n of [1, 2, 6, 12]) {
    const radii = linkRadii(n, 300);
    expect(radii).toHaveLength(n + 1);
    radii.slice(1).forEach((radius, i) => expect(radius).toBeLessThan(radii[i] ?? 0));
  }
});

describe("Viewport", () => {
  const bounds = { left: -1, right: 3, bottom: -2, top: 2 };

  function view(width = 400, height = 600): Viewport {
    const viewport = new Viewport();
    viewport.fit(bounds, width, height, 20);
    return viewport;
  }

  it("fits what it is told to, in the middle, y up", () => {
    const viewport = view();
    expect(viewport.scale).toBeCloseTo(90, 12);
    expect([viewport.x(1), viewport.y(0)]).toEqual([200, 300]);
    expect(viewport.x(3)).toBeCloseTo(380, 10);
    expect(viewport.y(2)).toBeLessThan(viewport.y(-2));
  });

  it("keeps the point under the pointer when zooming", () => {
    const viewport = view();
    const [px, py] = [viewport.x(2), viewport.y(1.5)];
    viewport.zoomAt(3, px, py);
    viewport.zoomAt(0.7, px, py);
    expect([viewport.x(2), viewport.y(1.5)]).toEqual([expect.closeTo(px, 9), expect.closeTo(py, 9)]);
    expect(viewport.zoom).toBeCloseTo(2.1, 12);
  });

  it("moves with the pointer, and back when reset", () => {
    const viewport = view();
    viewport.panBy(30, -10);
    expect([viewport.x(1), viewport.y(0), viewport.moved]).toEqual([230, 290, true]);
    viewport.reset();
    expect([viewport.x(1), viewport.y(0), viewport.moved]).toEqual([200, 300, false]);
  });

  it("sees what its corners show", () => {
    const viewport = view();
    viewport.zoomAt(2, 10, 20);
    viewport.panBy(7, 9);
    const seen = viewport.seen();
    expect([viewport.x(seen.left), viewport.x(seen.right)]).toEqual([expect.closeTo(0, 9), expect.closeTo(400, 9)]);
    expect([viewport.y(seen.top), viewport.y(seen.bottom)]).toEqual([expect.closeTo(0, 9), expect.closeTo(600, 9)]);
  });

  it("shows the same part of the plane after a change of size", () => {
    const viewport = view();
    viewport.zoomAt(4, 300, 200);
    const seen = viewport.seen();
    const middle = (seen.left + seen.right) / 2;
    viewport.fit(bounds, 200, 300, 10);
    const after = viewport.seen();
    expect((after.left + after.right) / 2).toBeCloseTo(middle, 9);
  });
});

describe("grid", () => {
  it("steps by 1, 2 or 5", () => {
    expect([0.03, 0.11, 0.2, 1, 3, 7].map(niceStep)).toEqual([0.05, 0.2, 0.2, 1, 5, 10].map((x) => expect.closeTo(x, 12)));
  });

  it("parts turns evenly, or counts them", () => {
    expect([3, 12, 31, 46, 100, 361, 800].map(angleStep)).toEqual([5, 15, 45, 90, 180, 720, 1800]);
  });

  it("counts multiples inside", () => {
    expect(multiples(-0.25, 0.3, 0.1)).toEqual([-2, -1, 0, 1, 2, 3]);
    expect(multiples(0.31, 0.39, 0.1)).toEqual([]);
  });

  it("shows small arms in small units", () => {
    expect([2, 0.2, 0.02].map((size) => lengthUnit(size).name)).toEqual(["m", "cm", "mm"]);
  });
});

describe("bounds", () => {
  const workspace = { left: -2, right: 2, bottom: -2, top: 2 };

  it("stretch to hold points, and not to what is no number", () => {
    const bounds = emptyBounds();
    stretch(bounds, 1, 2);
    stretch(bounds, -1, Number.NaN);
    expect(bounds).toEqual({ left: -1, right: 1, bottom: 2, top: 2 });
  });

  it("are padded within the workspace", () => {
    const part = { left: 1, right: 1.9, bottom: -0.5, top: 0.5 };
    expect(padded(part, 0.2, 1, workspace)).toEqual({ left: expect.closeTo(0.7, 12), right: 2, bottom: -0.7, top: 0.7 });
  });

  it("hold everything where it leaves the workspace", () => {
    const part = { left: -1, right: 3, bottom: 0, top: 0.1 };
    const seen = padded(part, 0.2, 1, workspace);
    expect(seen.right).toBeGreaterThanOrEqual(3);
    expect(seen.top - seen.bottom).toBeCloseTo(1, 12);
  });
});
