/**
 * Values at a time, from samples in ascending time.
 *
 * Between samples k and k+1, with h = t[k+1] − t[k] and s = (t − t[k]) / h,
 *
 *     linear    y = (1 − s) y[k] + s y[k+1]
 *     Hermite   y = y[k] + s Δ + s (1 − s) [(1 − s)(h d[k] − Δ) − s (h d[k+1] − Δ)],   Δ = y[k+1] − y[k]
 *
 * where d are slopes of parabolas through three neighbouring samples. Both give a sample exactly at its
 * time, hold the first and last value beyond the ends, and answer NaN inside a gap.
 */

/** Element `i`, NaN where there is none: a missing sample is a gap. */
export function at(values: ArrayLike<number>, i: number): number {
  return values[i] ?? Number.NaN;
}

/** Index of the last sample at or before `time`; 0 before the first one. */
export function indexAt(times: ArrayLike<number>, time: number): number {
  let low = 0;
  let high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (at(times, middle) <= time) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Index of the sample nearest to `time`, −1 without samples. */
export function nearestIndex(times: ArrayLike<number>, time: number): number {
  if (times.length === 0) return -1;
  const k = indexAt(times, time);
  return k + 1 < times.length && at(times, k + 1) - time < time - at(times, k) ? k + 1 : k;
}

/** Value at `time`, linear between samples. */
export function linearAt(times: ArrayLike<number>, values: ArrayLike<number>, time: number): number {
  const k = indexAt(times, time);
  const s = fraction(times, k, time);
  if (s === 0) return at(values, k);
  return (1 - s) * at(values, k) + s * at(values, k + 1);
}

/** Value at `time`, a cubic Hermite polynomial between samples with these slopes there. */
export function hermiteAt(
  times: ArrayLike<number>,
  values: ArrayLike<number>,
  slopes: ArrayLike<number>,
  time: number,
): number {
  const k = indexAt(times, time);
  return hermite(times, values, slopes, k, fraction(times, k, time));
}

/** The Hermite polynomial of interval `k` at the fraction `s` of it. */
export function hermite(
  times: ArrayLike<number>,
  values: ArrayLike<number>,
  slopes: ArrayLike<number>,
  k: number,
  s: number,
): number {
  const from = at(values, k);
  if (s === 0) return from;
  const h = at(times, k + 1) - at(times, k);
  const change = at(values, k + 1) - from;
  const bend = (1 - s) * (h * at(slopes, k) - change) - s * (h * at(slopes, k + 1) - change);
  return from + s * (change + (1 - s) * bend);
}

/** Where `time` lies between samples k and k+1: 0 at the first; 0 beyond either end, which holds the sample. */
export function fraction(times: ArrayLike<number>, k: number, time: number): number {
  const from = at(times, k);
  if (k + 1 >= times.length || time <= from) return 0;
  return (time - from) / (at(times, k + 1) - from);
}

/**
 * Slopes at the samples: of the parabola through a sample and its two neighbours; of the chord at the
 * ends and beside a gap or a repeated time (a jump). A motion that stops dead overshoots by at most
 * 2/27 of its last step, which no picture shows; limiting slopes would flatten every turning point.
 */
export function slopesOf(times: ArrayLike<number>, values: ArrayLike<number>): Float64Array {
  const slopes = new Float64Array(times.length);
  const chord = (k: number): number =>
    (at(values, k + 1) - at(values, k)) / (at(times, k + 1) - at(times, k));
  for (let k = 0; k < slopes.length; k++) {
    const before = chord(k - 1);
    const after = chord(k);
    if (!Number.isFinite(before) || !Number.isFinite(after)) {
      slopes[k] = Number.isFinite(after) ? after : Number.isFinite(before) ? before : 0;
      continue;
    }
    const left = at(times, k) - at(times, k - 1);
    const right = at(times, k + 1) - at(times, k);
    slopes[k] = (right * before + left * after) / (left + right);
  }
  return slopes;
}
