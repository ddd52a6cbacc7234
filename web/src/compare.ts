// Other reports beside this one. A dropped file is parsed, never executed: its document is taken out of the
// HTML, its motions become pale arms, its series dashed lines in the charts of the same id.

import { DocumentError, loadFrom } from "./document";
import type { ChartSpec, Column, EvenTimes, Loaded, Motion, PlaneSpec, Ref, ReportDocument } from "./document";

export const LARGEST = 50_000_000;

/** A file that cannot be compared; the message is a sentence for the reader. */
export class Refusal extends Error {
  override readonly name = "Refusal";
}

/** A report that was dropped in, and what it is called here. */
export interface Compared {
  name: string;
  loaded: Loaded;
}

export interface ReportFile {
  readonly name: string;
  readonly size: number;
  text(): Promise<string>;
}

/** Read a dropped file's document, or throw a {@link Refusal}. */
export async function readReport(file: ReportFile): Promise<Loaded> {
  if (file.size > LARGEST) {
    const size = Math.round(file.size / 1e6);
    throw new Refusal(`“${file.name}” has ${size} MB; reports of up to ${LARGEST / 1e6} MB can be compared.`);
  }
  const page = new DOMParser().parseFromString(await file.text(), "text/html");
  if (!page.querySelector("script.ulna-document")) throw new Refusal(notAReport(file.name));
  try {
    return await loadFrom(page);
  } catch (error) {
    if (error instanceof DocumentError) throw new Refusal(`“${file.name}” cannot be compared. ${error.message}`);
    throw error;
  }
}

function notAReport(name: string): string {
  const hint = name.endsWith(".nc") ? ` Make one with: ulna show ${name} --html ${name.replace(/\.nc$/, ".html")}` : "";
  return `“${name}” is not a report of ulna.${hint}`;
}

/** What a report is called here: its title, or the file's name where the title would not tell them apart. */
export function nameFor(title: string, file: string, taken: readonly string[]): string {
  for (const name of [title, file]) if (name && !taken.includes(name)) return name;
  let number = 2;
  while (taken.includes(`${file} (${number})`)) number++;
  return `${file} (${number})`;
}

/** What of a report finds no place here: nothing that was dropped in goes missing in silence. */
export function withoutPlace(base: ReportDocument, other: ReportDocument): string | null {
  const ids = new Set([...base.charts, ...base.planes].map((chart) => chart.id));
  const missing = [...other.charts, ...other.planes].filter((chart) => !ids.has(chart.id));
  if (missing.length === 0) return null;
  return `Not shown, as this report has no such chart: ${missing.map((chart) => chart.title).join(", ")}.`;
}

/** A motion of another report beside this one's. */
export interface ForeignMotion extends Motion {
  /** What it was in its own report: it is drawn beside this report's motion of the same role. */
  ownRole: Motion["role"];
}

/** Whether a motion is of another report. */
export function isForeign(motion: Motion): motion is ForeignMotion {
  return "ownRole" in motion;
}

/** One document of this report and all others; columns of the others follow this one's. */
export function merge(base: Loaded, others: readonly Compared[]): Loaded {
  if (others.length === 0) return base;
  const header: ReportDocument = {
    ...base.header,
    span: [...base.header.span],
    motions: [...base.header.motions],
    charts: base.header.charts.map((chart) => ({ ...chart, series: [...chart.series] })),
    planes: base.header.planes.map((plane) => ({ ...plane, curves: [...plane.curves] })),
    columns: [...base.header.columns],
  };
  const parts = [{ from: 0, loaded: base }];
  for (const other of others) {
    parts.push({ from: header.columns.length, loaded: other.loaded });
    addDocument(header, other);
  }
  return { header, column: (ref) => columnOf(parts, ref) };
}

function columnOf(parts: readonly { from: number; loaded: Loaded }[], ref: Ref): Column {
  const owner = typeof ref === "number" ? parts.filter((part) => part.from <= ref).at(-1) : parts[0];
  if (!owner) throw new DocumentError(`There is no column ${String(ref)}.`);
  return owner.loaded.column(typeof ref === "number" ? ref - owner.from : ref);
}

function addDocument(header: ReportDocument, { name, loaded }: Compared): void {
  const other = loaded.header;
  const from = header.columns.length;
  const shift = <R extends Ref>(ref: R): number | EvenTimes => (typeof ref === "number" ? ref + from : ref);
  if (other.motions.length > 0) {
    header.span = [Math.min(header.span[0], other.span[0]), Math.max(header.span[1], other.span[1])];
  }
  for (const motion of other.motions) {
    const foreign: ForeignMotion = {
      ...motion,
      label: `${motion.label} · ${name}`,
      role: "member",
      ownRole: motion.role,
      arm: motion.arm ?? other.arm,
      t: shift(motion.t),
      q: motion.q.map(shift),
      tau: motion.tau?.map(shift) ?? null,
    };
    header.motions.push(foreign);
  }
  for (const chart of header.charts) addSeries(chart, other.charts, name, shift);
  for (const plane of header.planes) addCurves(plane, other.planes, name, shift);
  header.columns.push(...other.columns);
}

type Shift = (ref: Ref) => Ref;

function addSeries(chart: ChartSpec, others: readonly ChartSpec[], name: string, shift: Shift): void {
  for (const series of others.find((other) => other.id === chart.id)?.series ?? []) {
    chart.series.push({ ...series, label: `${series.label} · ${name}`, t: shift(series.t), y: shift(series.y), dash: true });
  }
}

function addCurves(plane: PlaneSpec, others: readonly PlaneSpec[], name: string, shift: Shift): void {
  for (const curve of others.find((other) => other.id === plane.id)?.curves ?? []) {
    const label = curve.label ? `${curve.label} · ${name}` : name;
    plane.curves.push({ ...curve, label, x: shift(curve.x), y: shift(curve.y), role: "member" });
  }
}
