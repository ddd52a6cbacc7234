/** A chart as a table to read and as CSV to take along. */

import { align, type Curve, numberText, valueAt, valueText } from "./chart-series";
import type { ChartSpec, Column } from "./document";
import { at } from "./interpolate";

/** Rows that a table has at most. */
export const MOST_ROWS = 200;

export interface Table {
  caption: string;
  columns: string[];
  rows: string[][];
  /** What the table leaves out, where it does. */
  note: string | null;
}

/** The values of all curves at times from `from` to `to` [s]: all times, or evenly picked ones. */
export function tableOf(spec: ChartSpec, curves: readonly Curve[], from: number, to: number): Table {
  const times = align(curves).t.filter((time) => time >= from && time <= to);
  const picked = pickEvenly(times, MOST_ROWS);
  const digits = timeDigits(picked);
  const rows = picked.map((time) => [
    numberText(time, digits),
    ...curves.map((curve) => valueText(valueAt(curve, time), spec)),
  ]);
  const left = times.length > picked.length;
  return {
    caption: spec.unit ? `${spec.title} [${spec.unit}]` : spec.title,
    columns: ["time [s]", ...curves.map((curve) => heading(curve.name, spec.unit))],
    rows,
    note: left ? `${picked.length} of ${count(times.length)} times, evenly picked. The CSV has all.` : null,
  };
}

/** Every point of a chart in its shown unit, with all digits that the data have. */
export function csvOf(spec: ChartSpec, curves: readonly Curve[]): string {
  const { t, samples } = align(curves);
  const single = curves.every((curve) => isSingle(curve.t));
  const rows = t.map((time, row) => [
    exactText(time, single),
    ...curves.map((curve, i) => exactText(curve.factor * at(curve.y, samples[i]?.[row] ?? -1), isSingle(curve.y))),
  ]);
  return csvText(["time [s]", ...curves.map((curve) => heading(curve.name, spec.unit))], rows);
}

/** Lines of comma-separated cells, quoted where they must be. */
export function csvText(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  return `${[columns.map(harmless), ...rows].map((row) => row.map(quoted).join(",")).join("\r\n")}\r\n`;
}

/** `most` of `values` at even distances, first and last among them; all where there are no more. */
export function pickEvenly<T>(values: readonly T[], most: number): T[] {
  if (values.length <= most) return [...values];
  const step = (values.length - 1) / (most - 1);
  return Array.from({ length: most }, (_, i) => values[Math.round(i * step)] as T);
}

/** The shortest text that reads back as the same number, of single precision where the data are. */
export function exactText(value: number, single: boolean): string {
  if (Number.isNaN(value)) return "";
  if (!single || !Number.isFinite(value)) return String(value);
  const rounded = Math.fround(value);
  for (let digits = 6; digits <= 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === rounded) return String(short);
  }
  return String(value);
}

/** A name of a file that every system takes. */
export function fileName(...parts: string[]): string {
  const name = parts
    .join("-")
    .normalize("NFKD")
    .replace(/[^A-Za-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  return name.slice(0, 80).toLowerCase() || "data";
}

export function heading(name: string, unit: string): string {
  return unit ? `${name} [${unit}]` : name;
}

export function isSingle(column: Column): boolean {
  return column instanceof Float32Array;
}

function timeDigits(times: readonly number[]): number {
  const step = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / Math.max(1, times.length - 1);
  return step > 0 ? Math.min(9, Math.max(3, 1 - Math.floor(Math.log10(step)))) : 3;
}

/** A spreadsheet takes a cell that begins so for a formula. */
function harmless(text: string): string {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

function count(n: number): string {
  return n.toLocaleString("en");
}
