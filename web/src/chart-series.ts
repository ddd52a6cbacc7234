/** What a chart shows, apart from how it is drawn: its curves, their values at a time, its scale and its words. */

import type { ChartSpec, Column, DataColour, Limit, Loaded } from "./document";
import { at, linearAt } from "./interpolate";

export interface Curve {
  /** Tells it from the other curves of its chart. */
  name: string;
  color: DataColour;
  dash: boolean;
  t: Column;
  /** In SI. */
  y: Column;
  /** shown = factor · SI */
  factor: number;
}

/** The curves of a chart; those of further documents, from their chart of the same id, are dashed. */
export function curvesOf(spec: ChartSpec, loaded: readonly Loaded[]): Curve[] {
  const found = loaded.flatMap((document, i) => {
    const chart = i === 0 ? spec : document.header.charts.find((other) => other.id === spec.id);
    return (chart?.series ?? []).map((series) => ({ series, document, dash: i > 0 || (series.dash ?? false) }));
  });
  const times = (label: string): number => found.filter(({ series }) => series.label === label).length;
  return found.map(({ series, document, dash }) => ({
    name: series.motion && times(series.label) > 1 ? `${series.label}, ${series.motion}` : series.label,
    color: series.color,
    dash,
    t: document.column(series.t),
    y: document.column(series.y),
    factor: spec.factor,
  }));
}

/** Value of a curve at a time in the shown unit; NaN in a gap, before its start and after its end. */
export function valueAt(curve: Curve, time: number): number {
  const { t } = curve;
  const first = at(t, 0);
  const last = at(t, t.length - 1);
  const tolerance = 1e-6 * Math.max(Math.abs(first), Math.abs(last));
  if (!(time >= first - tolerance && time <= last + tolerance)) return Number.NaN;
  return curve.factor * linearAt(t, curve.y, time);
}

export interface Aligned {
  /** Every time of any curve, ascending. */
  t: number[];
  /** For each curve, which of its samples stands at each time; −1 where it has none. */
  samples: Int32Array[];
}

/** Bring curves to common times. A time that a curve has twice (a jump) stays twice. */
export function align(curves: readonly Curve[]): Aligned {
  const shared = curves[0]?.t;
  if (shared && curves.every((curve) => curve.t === shared)) {
    const all = Int32Array.from(shared, (_, i) => i);
    return { t: Array.from(shared), samples: curves.map(() => all) };
  }
  const longest = curves.reduce((sum, curve) => sum + curve.t.length, 0);
  const t: number[] = [];
  const samples = curves.map(() => new Int32Array(longest).fill(-1));
  const heads = curves.map(() => 0);
  for (;;) {
    let time = Number.POSITIVE_INFINITY;
    curves.forEach((curve, i) => {
      time = Math.min(time, curve.t[heads[i] as number] ?? time);
    });
    if (time === Number.POSITIVE_INFINITY) break;
    curves.forEach((curve, i) => {
      const head = heads[i] as number;
      if (curve.t[head] !== time) return;
      (samples[i] as Int32Array)[t.length] = head;
      heads[i] = head + 1;
    });
    t.push(time);
  }
  return { t, samples: samples.map((column) => column.subarray(0, t.length)) };
}

/** A curve's values at the common times: null is a gap, undefined a time of other curves only. */
export function drawnValues(curve: Curve, samples: Int32Array, log: boolean): (number | null | undefined)[] {
  return Array.from(samples, (k) => {
    if (k < 0) return undefined;
    const value = curve.factor * at(curve.y, k);
    return Number.isFinite(value) && (!log || value > 0) ? value : null;
  });
}

/** Whether values above a limit are beyond it: as its label says, else positive limits are upper ones. */
export function isUpper(limit: Limit): boolean {
  if (/\b(lower|least|min)/i.test(limit.label)) return false;
  return limit.value >= 0 || /\b(upper|most|max)/i.test(limit.label);
}

/** Whether no curve may go beyond a limit: of several limits on one side, of several joints, the last one. */
export function isOutermost(limit: Limit, limits: readonly Limit[]): boolean {
  const upper = isUpper(limit);
  return limits.every((other) => isUpper(other) !== upper || (upper ? other.value <= limit.value : other.value >= limit.value));
}

/** The scale for values from `min` to `max`: limits that lie near are on it, far ones would flatten the curves. */
export function scaleFor(min: number, max: number, limits: readonly number[], log: boolean): [number, number] {
  return log ? logScale(min, max, limits) : linearScale(min, max, limits);
}

function linearScale(min: number, max: number, limits: readonly number[]): [number, number] {
  if (!Number.isFinite(min) || !Number.isFinite(max)) return [0, 1];
  const largest = Math.max(Math.abs(min), Math.abs(max));
  const height = 0.5 * Math.max(max - min, largest);
  let low = min > 0 && min < 0.4 * max ? 0 : min;
  let high = max < 0 && max > 0.4 * min ? 0 : max;
  const near = limits.filter((limit) => limit > min - height && limit < max + height);
  low = Math.min(low, ...near);
  high = Math.max(high, ...near);
  if (high - low <= 1e-9 * largest || largest === 0) {
    const room = 0.1 * largest || 1;
    return [low - room, high + room];
  }
  const pad = 0.08 * (high - low);
  return [low === 0 ? 0 : low - pad, high === 0 ? 0 : high + pad];
}

/** What is smaller by more than so many decades than the largest value is rounding, and below the picture. */
const MOST_DECADES = 9;
/** Most powers of ten that a logarithmic axis writes. */
const MOST_TICKS = 6;

/** What a logarithmic chart says where values lie below its frame; nothing where none do. */
export function belowFrame(spec: ChartSpec, curves: readonly Curve[]): string {
  if (!spec.log) return "";
  const values = curves.flatMap((curve) => Array.from(curve.y, (y) => curve.factor * y).filter((y) => y > 0 && Number.isFinite(y)));
  const largest = values.reduce((most, y) => Math.max(most, y), 0);
  const [frame] = scaleFor(values.reduce((least, y) => Math.min(least, y), Infinity), largest, [], true);
  return values.some((y) => y < frame) ? `values below ${powerText(frame)} ${spec.unit} lie under the frame` : "";
}

function logScale(min: number, max: number, limits: readonly number[]): [number, number] {
  if (!(min > 0) || !Number.isFinite(max)) return [0.1, 1];
  const near = limits.filter((limit) => limit > min / 10 && limit < max * 10);
  const low = Math.floor(Math.log10(Math.min(min, ...near)) + 1e-9);
  const high = Math.ceil(Math.log10(Math.max(max, ...near)) - 1e-9);
  return [10 ** Math.max(low, high - MOST_DECADES), 10 ** Math.max(high, low + 1)];
}

/** A number with so many decimals and a true minus; a dash where there is none. */
export function numberText(value: number, digits: number): string {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  const text = size >= 1e7 ? size.toExponential(2) : size.toFixed(digits);
  return value < 0 && Number(text) !== 0 ? `−${text}` : text;
}

/** A value as a chart shows it: with its decimals, or three significant digits on a logarithmic scale. */
export function valueText(value: number, spec: ChartSpec): string {
  if (!spec.log || !Number.isFinite(value) || value === 0) return numberText(value, spec.digits);
  const power = Math.floor(Math.log10(Math.abs(value)) + 1e-9);
  return power < -4 || power > 5 ? powerText(value) : numberText(value, Math.max(0, 2 - power));
}

/** Characters that a curve's longest number takes. */
export function longestNumber(curve: Curve, spec: ChartSpec): number {
  const { low, high } = extremes(curve);
  return Math.max(1, valueText(low.value, spec).length, valueText(high.value, spec).length);
}

/** Texts of an axis's ticks that lie `step` apart. */
export function tickTexts(ticks: readonly (number | null)[], step: number): string[] {
  let digits = 0;
  while (digits < 9 && Math.abs(step - Number(step.toFixed(digits))) > 1e-6 * step) digits++;
  return ticks.map((tick) => (tick === null ? "" : tickText(tick, digits)));
}

function tickText(tick: number, digits: number): string {
  return Math.abs(tick) >= 1e5 ? powerText(tick) : numberText(tick, digits);
}

/** Texts of a logarithmic axis: plain near one, powers of ten elsewhere; null is not written, of many powers every second or third. */
export function logTickTexts(ticks: readonly (number | null)[]): string[] {
  const every = Math.ceil(ticks.filter((tick) => tick !== null).length / MOST_TICKS);
  return ticks.map((tick) => {
    if (tick === null) return "";
    const power = Math.round(Math.log10(tick));
    if (power % every !== 0) return "";
    return power > -4 && power < 4 ? numberText(tick, Math.max(0, -power)) : powerText(tick);
  });
}

function powerText(value: number): string {
  const [mantissa, power] = value.toExponential(2).split("e") as [string, string];
  const short = Number(mantissa);
  const ten = `10${superscript(Number(power))}`;
  if (Math.abs(short) === 1) return short < 0 ? `−${ten}` : ten;
  return `${String(short).replace("-", "−")}·${ten}`;
}

function superscript(n: number): string {
  return String(n).replace(/./g, (c) => (c === "-" ? "⁻" : ("⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(c)] as string)));
}

interface Extreme {
  value: number;
  time: number;
}

/** The least and greatest value of a curve and when it has them; NaN where there is no value. */
export function extremes(curve: Curve): { low: Extreme; high: Extreme } {
  let least = -1;
  let greatest = -1;
  for (let i = 0; i < curve.y.length; i++) {
    const value = at(curve.y, i);
    if (Number.isNaN(value)) continue;
    if (least < 0 || value < at(curve.y, least)) least = i;
    if (greatest < 0 || value > at(curve.y, greatest)) greatest = i;
  }
  const extreme = (i: number): Extreme => ({ value: curve.factor * at(curve.y, i), time: at(curve.t, i) });
  return { low: extreme(least), high: extreme(greatest) };
}

/** A chart in words, for those who do not see it. */
export function summary(spec: ChartSpec, curves: readonly Curve[]): string {
  const number = (value: number): string => `${valueText(value, spec)} ${spec.unit}`.trim();
  const sentences = curves.map((curve) => {
    const { low, high } = extremes(curve);
    if (Number.isNaN(low.value)) return `${curve.name} has no values.`;
    if (low.value === high.value) return `${curve.name} is ${number(low.value)} throughout.`;
    const when = (extreme: Extreme): string => `${number(extreme.value)} at ${numberText(extreme.time, 2)} s`;
    return `${curve.name}: minimum ${when(low)}, maximum ${when(high)}.`;
  });
  for (const limit of spec.limits) sentences.push(`Limit ${limit.label}: ${number(spec.factor * limit.value)}.`);
  if (spec.log) sentences.push("The scale is logarithmic.");
  return sentences.join(" ");
}
