import { describe, expect, test } from "vitest";
import { fromColumns, type PlanePoint, type PlaneSpec } from "../src/document";
import { arrowsOn, boundsOf, linesOf, nearestLabel, overlap, pixelDigits, placeLabel, type PlaneLine, PlaneView } from "../src/plane-view";
import { fixture } from "./fixture";

function line(x: number[], y: number[], label = ""): PlaneLine {
  return { x: Float64Array.from(x), y: Float64Array.from(y), role: "flow", color: 0, label };
}

const bounds = { left: -2, right: 2, bottom: -30, top: 10 };

function view(equal = false): PlaneView {
  const made = new PlaneView(bounds, equal);
  made.fitInto(600, 400, 20);
  return made;
}

describe("bounds", () => {
  test("hold every line and point, and skip gaps", () => {
    const point: PlanePoint = { x: 5, y: 0, role: "stable" };
    expect(boundsOf([line([0, Number.NaN, 2], [1, 9, -1])], [point])).toEqual({ left: 0, right: 5, bottom: -1, top: 1 });
  });

  test("have a size even without one", () => {
    expect(boundsOf([], [])).toEqual({ left: -1, right: 1, bottom: -1, top: 1 });
    const { left, right, bottom, top } = boundsOf([line([3], [0])], []);
    expect(right).toBeGreaterThan(left);
    expect(top).toBeGreaterThan(bottom);
  });

  test("lines are the document's columns", () => {
    const { header, columns } = fixture("portrait");
    const lines = linesOf(header.planes[0] as PlaneSpec, fromColumns(header, columns));
    expect(lines).toHaveLength(12);
    expect(lines[0]?.x).toBe(columns[header.planes[0]?.curves[0]?.x as number]);
  });
});

describe("view", () => {
  test("fits its bounds to the canvas", () => {
    expect([view().px(-2), view().px(2), view().py(-30), view().py(10)].map(Math.round)).toEqual([20, 580, 380, 20]);
  });

  test("axes of one unit keep one scale", () => {
    const [x, y] = view(true).perPixel();
    expect(x).toBeCloseTo(y, 12);
  });

  test("a pixel's point has that pixel, at any zoom", () => {
    const moved = view();
    moved.zoomAt(3, 100, 50);
    moved.panBy(-40, 12);
    const [x, y] = moved.under(123, 321);
    expect(moved.px(x)).toBeCloseTo(123, 9);
    expect(moved.py(y)).toBeCloseTo(321, 9);
  });

  test("its matrix says the same", () => {
    const [a, , , d, e, f] = view().matrix();
    expect(a * 1.5 + e).toBeCloseTo(view().px(1.5), 9);
    expect(d * 7 + f).toBeCloseTo(view().py(7), 9);
  });

  test("zooming keeps the point under the pointer", () => {
    const zoomed = view();
    const before = zoomed.under(100, 300);
    zoomed.zoomAt(2, 100, 300);
    expect(zoomed.under(100, 300)[0]).toBeCloseTo(before[0], 12);
    expect(zoomed.under(100, 300)[1]).toBeCloseTo(before[1], 12);
  });
});

describe("arrows", () => {
  const circle = (radius: number): PlaneLine => {
    const angles = Array.from({ length: 400 }, (_, i) => (i * 2 * Math.PI) / 399);
    return line(angles.map((a) => radius * Math.cos(a)), angles.map((a) => -10 + 10 * radius * Math.sin(a)));
  };

  test("are sparse", () => {
    const arrows = arrowsOn(Array.from({ length: 40 }, (_, k) => circle((k + 1) / 20)), view());
    expect(arrows.length).toBeGreaterThan(3);
    expect(arrows.length).toBeLessThan((600 * 400) / 64 ** 2);
    for (const a of arrows) for (const b of arrows) if (a !== b) expect(Math.hypot(a.x - b.x, a.y - b.y)).toBeGreaterThan(64);
  });

  test("point along the line", () => {
    const arrows = arrowsOn([line([-2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2], Array(9).fill(0))], view());
    expect(arrows.length).toBeGreaterThan(0);
    for (const arrow of arrows) expect(arrow.angle).toBeCloseTo(0, 9);
  });
});

describe("labels", () => {
  test("stand beside their point, elsewhere where that is taken, nowhere where all is", () => {
    const canvas = { width: 200, height: 100 };
    const first = placeLabel(100, 50, 40, 14, [], canvas);
    expect(first).toEqual({ x: 108, y: 43, width: 40, height: 14 });
    const second = placeLabel(100, 50, 40, 14, [first as NonNullable<typeof first>], canvas);
    expect(second && overlap(second, first as NonNullable<typeof first>)).toBe(false);
    expect(placeLabel(100, 50, 40, 14, [{ x: 0, y: 0, ...canvas }], canvas)).toBeNull();
    expect(placeLabel(195, 50, 40, 14, [], canvas)?.x).toBeLessThan(160);
  });

  test("the nearest point's name is read, else the nearest line's, else none", () => {
    const points: PlanePoint[] = [{ x: 0, y: 0, role: "saddle", label: "upright" }];
    const lines = [line([1], [5], "member 3")];
    const at = (x: number, y: number): string => nearestLabel(lines, points, view(), view().px(x) + 3, view().py(y), 10);
    expect([at(0, 0), at(1, 5), at(-1, -5)]).toEqual(["upright", "member 3", ""]);
  });

  test("digits tell pixels apart", () => {
    expect([20, 1, 0.5, 0.01, 0.004].map(pixelDigits)).toEqual([0, 0, 1, 2, 3]);
  });
});
