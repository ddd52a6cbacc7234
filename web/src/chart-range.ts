import type { Clock } from "./clock";

/** The smallest part of all time that can be shown. */
const SMALLEST = 1e-4;

/** The part of time that all charts of one clock show. */
export class SharedRange {
  static readonly #ofClocks = new WeakMap<Clock, SharedRange>();

  readonly start: number;
  readonly end: number;
  #min: number;
  #max: number;
  readonly #listeners = new Set<() => void>();

  constructor(start: number, end: number) {
    this.start = start;
    this.end = end > start ? end : start + 1;
    this.#min = this.start;
    this.#max = this.end;
  }

  /** The range of the charts that follow this clock. */
  static of(clock: Clock): SharedRange {
    let range = SharedRange.#ofClocks.get(clock);
    if (!range) {
      range = new SharedRange(clock.start, clock.end);
      SharedRange.#ofClocks.set(clock, range);
    }
    return range;
  }

  get min(): number {
    return this.#min;
  }

  get max(): number {
    return this.#max;
  }

  get span(): number {
    return this.#max - this.#min;
  }

  get zoomed(): boolean {
    return this.#min > this.start || this.#max < this.end;
  }

  /** Show from one time to another; kept inside all time, and not narrower than a ten thousandth of it. */
  set(from: number, to: number): void {
    if (!Number.isFinite(from) || !Number.isFinite(to)) return;
    const whole = this.end - this.start;
    const asked = Math.max(SMALLEST * whole, Math.abs(to - from));
    // What rounding leaves out of the whole is not worth a zoom.
    const span = asked > (1 - 1e-9) * whole ? whole : asked;
    const middle = (from + to) / 2;
    const min = Math.min(this.end - span, Math.max(this.start, middle - span / 2));
    const max = span === whole ? this.end : Math.min(this.end, min + span);
    if (min === this.#min && max === this.#max) return;
    this.#min = min;
    this.#max = max;
    for (const listener of this.#listeners) listener();
  }

  reset(): void {
    this.set(this.start, this.end);
  }

  /** Magnify by `factor`; the time `about` stays where it is. */
  zoom(factor: number, about: number): void {
    const centre = Math.min(this.#max, Math.max(this.#min, about));
    const whole = this.end - this.start;
    const by = 1 / Math.min(whole / this.span / SMALLEST, Math.max(this.span / whole, factor));
    this.set(centre - (centre - this.#min) * by, centre + (this.#max - centre) * by);
  }

  /** Move along by a time. */
  pan(by: number): void {
    this.set(this.#min + by, this.#max + by);
  }

  /** Move along just so far that `time` is shown. */
  show(time: number): void {
    if (time < this.#min) this.pan(time - this.#min);
    else if (time > this.#max) this.pan(time - this.#max);
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
