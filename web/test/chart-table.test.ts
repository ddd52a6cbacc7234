import { expect, test } from "vitest";
import type { Curve } from "../src/chart-series";
import { csvOf, csvText, exactText, fileName, MOST_ROWS, pickEvenly, tableOf } from "../src/chart-table";
import type { ChartSpec } from "../src/document";

const spec: ChartSpec = { id: "e", title: "Error", unit: "mm", factor: 1000, digits: 1, series: [], limits: [] };

function curve(name: string, t: number[], y: number[]): Curve {
  return { name, color: 0, dash: false, t: Float64Array.from(t), y: Float32Array.from(y), factor: 1000 };
}

test("a short table has every time", () => {
  const table = tableOf(spec, [curve("open", [0, 1, 2], [0, 0.5, 1]), curve("closed", [0, 2], [1, 0])], 0, 2);
  expect(table.caption).toBe("Error [mm]");
  expect(table.columns).toEqual(["time [s]", "open [mm]", "closed [mm]"]);
  expect(table.rows).toEqual([
    ["0.000", "0.0", "1000.0"],
    ["1.000", "500.0", "500.0"],
    ["2.000", "1000.0", "0.0"],
  ]);
  expect(table.note).toBeNull();
});

test("a long table picks times evenly and says so; first and last are among them", () => {
  const times = Array.from({ length: 2400 }, (_, i) => i / 100);
  const table = tableOf(spec, [curve("open", times, times)], 0, 24);
  expect(table.rows).toHaveLength(MOST_ROWS);
  expect(table.rows[0]?.[0]).toBe("0.000");
  expect(table.rows.at(-1)?.[0]).toBe("23.990");
  expect(table.note).toBe("200 of 2,400 times, evenly picked. The CSV has all.");
});

test("a table has only the times that are shown", () => {
  expect(tableOf(spec, [curve("open", [0, 1, 2, 3], [0, 1, 2, 3])], 0.5, 2).rows.map((row) => row[0])).toEqual(["1.000", "2.000"]);
});

test("CSV has all points; a curve without a sample at a time, or with a gap there, has an empty cell", () => {
  const csv = csvOf(spec, [curve("open", [0, 1], [0.1, Number.NaN]), curve("closed", [1, 2], [0.25, 1 / 3])]);
  expect(csv).toBe("time [s],open [mm],closed [mm]\r\n0,100,\r\n1,,250\r\n2,,333.33334\r\n");
});

test("numbers read back as the data's own", () => {
  for (const value of [1 / 3, -1e-20, 16777217, 0.1, 123456.789]) {
    expect(Math.fround(Number(exactText(Math.fround(value), true)))).toBe(Math.fround(value));
    expect(Number(exactText(value, false))).toBe(value);
  }
  expect(exactText(Math.fround(0.1), true)).toBe("0.1");
  expect(exactText(Number.NaN, true)).toBe("");
});

test("what a user named cannot break out of its cell or become a formula", () => {
  expect(csvText(['a,"b"', "=1+1", "c\nd"], [["1", "2", "3"]])).toBe('"a,""b""",\'=1+1,"c\nd"\r\n1,2,3\r\n');
});

test("picking keeps order and ends", () => {
  expect(pickEvenly([1, 2, 3], 5)).toEqual([1, 2, 3]);
  expect(pickEvenly([0, 1, 2, 3, 4, 5, 6], 4)).toEqual([0, 2, 4, 6]);
});

test("names of files are plain", () => {
  expect(fileName("Circle of 30 cm / τ₁", "tip-error")).toBe("circle-of-30-cm-1-tip-error");
  expect(fileName("…")).toBe("data");
});
