import { describe, expect, test } from "vitest";
import { fromColumns, type PlaneCurve, type PlanePoint, type PlaneSpec } from "../src/document";
import { entriesOf } from "../src/plane-legend";
import { arrowsOn, boundsOf, linesOf, nearestLabel, pixelDigits, type PlaneLine, PlaneView, shownBounds } from "../src/plane-view";
import { fixture } from "./fixture";

function line(x: number[], y: number[], label = ""): PlaneLine {
  return { x: Float64Array.from(x), y: Float64Array.from(y), role: "orbit", color: 0, label };
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

  test("are the range that is shown, where a document has one", () => {
    const { header, columns } = fixture("portrait");
    const spec = header.planes[0] as PlaneSpec;
    const lines = linesOf(spec, fromColumns(header, columns));
    expect(shownBounds(spec, lines)).toEqual(boundsOf(lines, spec.points));
    expect(shownBounds({ ...spec, range: { x: [-3, 3], y: [-9, 8] } }, lines)).toEqual({ left: -3, right: 3, bottom: -9, top: 8 });
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
  test("the nearest point's name is read, else the nearest line's, else none", () => {
    const points: PlanePoint[] = [{ x: 0, y: 0, role: "saddle", label: "upright" }];
    const lines = [line([1, 1, Number.NaN, 1.5, 1.9], [5, -25, Number.NaN, 9, 9], "member 3")];
    const at = (x: number, y: number): string => nearestLabel(lines, points, view(), view().px(x) + 3, view().py(y), 10);
    expect([at(0, 0), at(1, 5), at(1, -10), at(-1, -5), at(1.25, 7)]).toEqual(["upright", "member 3", "member 3", "", ""]);
  });

  test("the legend has every name once, areas first, and of an orbit what becomes of it", () => {
    const { header } = fixture("portrait");
    const [first, second, third] = (header.planes[0] as PlaneSpec).curves as [PlaneCurve, PlaneCurve, PlaneCurve];
    const curves: PlaneCurve[] = [
      { ...first, role: "incoming", label: "separatrices into a saddle" },
      { ...second, role: "incoming", label: "separatrices into a saddle" },
      { ...third, role: "orbit", color: 2, label: "start 1", about: "from 0 rad, 1 rad/s: runs on" },
    ];
    const tints = [{ label: "basin: runs on", color: 1 as const, depth: 0.16 }, { label: "undecided", color: null, depth: 1 }];
    const areas = { cells: 0, columns: 1, extent: [0, 1, 0, 1] as [number, number, number, number], tints };
    const points: PlanePoint[] = [{ x: 0, y: 0, role: "saddle", label: "saddle" }, { x: 1, y: 0, role: "start", color: 2 }];
    const entries = entriesOf({ ...(header.planes[0] as PlaneSpec), areas, curves, points });
    expect(entries.map(({ kind, text }) => [kind, text])).toEqual([
      ["area", "basin: runs on"],
      ["area", "undecided"],
      ["incoming", "separatrices into a saddle"],
      ["orbit", "start 1 from 0 rad, 1 rad/s: runs on"],
      ["saddle", "saddle"],
    ]);
    expect(entries.map(({ color }) => color)).toEqual([
      "color-mix(in oklab, var(--data-1) calc(16% * var(--tint)), var(--card))",
      "var(--line-strong)",
      `var(--data-${first.color})`,
      "var(--data-2)",
      null,
    ]);
  });

  test("digits tell pixels apart", () => {
    expect([20, 1, 0.5, 0.01, 0.004].map(pixelDigits)).toEqual([0, 0, 1, 2, 3]);
  });
});
