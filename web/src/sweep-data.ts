/** A sweep apart from how it is shown: its points, their values, and the lines and tables through them. */

import type { Column, Loaded, SweepCurve, SweepParameter, SweepScalar, SweepSpec } from "./document";
import { at } from "./interpolate";

/** Something that a slider chooses: a parameter of a grid, or the point of a design. */
export interface Knob {
  name: string;
  unit: string;
  count: number;
  /** What is at a place, without its unit. */
  text(place: number): string;
}

export interface Output {
  name: string;
  about: string;
  unit: string;
  components: string[];
  columns: Column[];
}

export interface CurveOutput extends Output {
  clock: string;
  t: Column;
}

export class SweepData {
  readonly spec: SweepSpec;
  readonly shape: readonly number[];
  readonly count: number;
  readonly knobs: readonly Knob[];
  readonly scalars: readonly Output[];
  readonly curves: readonly CurveOutput[];
  readonly #values: readonly Column[];
  readonly #codes: Column;
  readonly #numbers: Column;

  constructor(spec: SweepSpec, loaded: Loaded) {
    this.spec = spec;
    this.shape = spec.shape;
    this.count = spec.shape.reduce((product, size) => product * size, 1);
    this.#values = spec.parameters.map((parameter) => loaded.column(parameter.values));
    this.#codes = loaded.column(spec.status.codes);
    this.#numbers = loaded.column(spec.numbers);
    this.scalars = spec.scalars.map((one) => outputOf(one, loaded));
    this.curves = spec.curves.map((one) => ({ ...outputOf(one, loaded), clock: one.clock, t: loaded.column(one.t) }));
    this.knobs = spec.grid ? spec.parameters.map((one, k) => this.#knob(one, k)) : [this.#pointKnob()];
  }

  /** The point at places along the axes, the last one fastest. */
  pointAt(places: readonly number[]): number {
    return this.shape.reduce((point, size, axis) => point * size + (places[axis] ?? 0), 0);
  }

  /** The points along an axis, at the places of the others. */
  pointsAlong(axis: number, places: readonly number[]): number[] {
    return Array.from({ length: this.shape[axis] ?? 1 }, (_, k) => this.pointAt(places.map((place, i) => (i === axis ? k : place))));
  }

  /** The value of a parameter at a point: a number, or the place of a name. */
  parameterAt(parameter: number, point: number): number {
    return at(this.#values[parameter] as Column, this.spec.grid ? this.placeAlong(parameter, point) : point);
  }

  /** The value of a parameter at a point in words, without its unit. */
  parameterText(parameter: number, point: number): string {
    return textOf(this.spec.parameters[parameter] as SweepParameter, this.parameterAt(parameter, point));
  }

  /** Where a point is along an axis. */
  placeAlong(axis: number, point: number): number {
    const below = this.shape.slice(axis + 1).reduce((product, size) => product * size, 1);
    return Math.floor(point / below) % (this.shape[axis] ?? 1);
  }

  /** The places of all points along a parameter of a grid, in the order of its values. */
  ordered(axis: number): number[] {
    const places = Array.from({ length: this.shape[axis] ?? 1 }, (_, k) => k);
    if (this.spec.parameters[axis]?.texts) return places;
    const values = this.#values[axis] as Column;
    return places.sort((a, b) => at(values, a) - at(values, b));
  }

  /** The number that a point has in the whole sweep. */
  numberOf(point: number): number {
    return at(this.#numbers, point);
  }

  /** How a point ended, and whether that is well. */
  statusOf(point: number): { word: string; ok: boolean } {
    const code = at(this.#codes, point);
    return { word: this.spec.status.words[code] ?? "", ok: this.spec.status.well[code] ?? false };
  }

  /** The samples of a curve of a point; NaN is a gap. */
  samples(curve: CurveOutput, component: number, point: number): Column {
    const size = curve.t.length;
    return (curve.columns[component] as Column).subarray(point * size, (point + 1) * size);
  }

  #knob(parameter: SweepParameter, axis: number): Knob {
    const values = this.#values[axis] as Column;
    return {
      name: parameter.name,
      unit: parameter.unit,
      count: this.shape[axis] ?? 1,
      text: (place) => textOf(parameter, at(values, place)),
    };
  }

  #pointKnob(): Knob {
    return { name: "point", unit: "", count: this.count, text: (place) => String(this.numberOf(place)) };
  }
}

function outputOf(one: SweepScalar | SweepCurve, loaded: Loaded): Output {
  const { name, about, unit, components } = one;
  return { name, about, unit, components, columns: one.values.map((ref) => loaded.column(ref)) };
}

function textOf(parameter: SweepParameter, value: number): string {
  return parameter.texts ? (parameter.texts[value] ?? "") : significant(value);
}

/** A number in six significant digits, with a true minus; a dash where there is none. */
export function significant(value: number): string {
  if (!Number.isFinite(value)) return "–";
  return String(Number(value.toPrecision(6))).replaceAll("-", "−");
}

/** The least and the largest of finite values; NaN where there are none. */
export function rangeOf(columns: readonly ArrayLike<number>[]): [number, number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const column of columns) {
    for (let k = 0; k < column.length; k++) {
      const value = column[k] as number;
      if (!Number.isFinite(value)) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  return low <= high ? [low, high] : [Number.NaN, Number.NaN];
}

/** Which of `values` is nearest; −1 where there are none. */
export function nearestOf(values: readonly number[], to: number): number {
  let best = -1;
  values.forEach((value, k) => {
    if (best < 0 || Math.abs(value - to) < Math.abs((values[best] as number) - to)) best = k;
  });
  return best;
}
