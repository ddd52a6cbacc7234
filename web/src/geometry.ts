/** Plane geometry of the arm's picture: forward kinematics, outlines of links, the view, the grid. */

import { at } from "./interpolate";

/**
 * Forward kinematics: positions of base, joints and tip, x, y interleaved, into `out`.
 *
 *     φ_i = q_1 + … + q_i,   p_i = p_{i−1} + l_i (cos φ_i, sin φ_i),   p_0 = base
 */
export function forward(
  lengths: ArrayLike<number>,
  base: ArrayLike<number>,
  q: ArrayLike<number>,
  out: Float64Array,
): Float64Array {
  let x = at(base, 0);
  let y = at(base, 1);
  let angle = 0;
  out[0] = x;
  out[1] = y;
  for (let i = 0; i < lengths.length; i++) {
    angle += at(q, i);
    x += at(lengths, i) * Math.cos(angle);
    y += at(lengths, i) * Math.sin(angle);
    out[2 * i + 2] = x;
    out[2 * i + 3] = y;
  }
  return out;
}

/** The part of a canvas context (or of a Path2D) that outlines need. */
export interface Outline {
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
  arc(x: number, y: number, radius: number, from: number, to: number, counterclockwise?: boolean): void;
  closePath(): void;
}

/**
 * Add the outline of two discs and all between them: a capsule that tapers from radius `r1` to `r2`.
 * The sides touch both circles where their normals lie acos((r1 − r2) / distance) off the axis.
 */
export function taperedCapsule(
  path: Outline,
  x1: number,
  y1: number,
  r1: number,
  x2: number,
  y2: number,
  r2: number,
): void {
  const distance = Math.hypot(x2 - x1, y2 - y1);
  if (distance <= Math.abs(r1 - r2)) {
    const [x, y, r] = r1 > r2 ? [x1, y1, r1] : [x2, y2, r2];
    path.moveTo(x + r, y);
    path.arc(x, y, r, 0, 2 * Math.PI);
    path.closePath();
    return;
  }
  const axis = Math.atan2(y2 - y1, x2 - x1);
  const side = Math.acos((r1 - r2) / distance);
  path.moveTo(x1 + r1 * Math.cos(axis + side), y1 + r1 * Math.sin(axis + side));
  path.arc(x1, y1, r1, axis + side, axis - side + 2 * Math.PI);
  path.arc(x2, y2, r2, axis - side, axis + side);
  path.closePath();
}

/** Radii [px] of the arm at its joints and tip: links taper towards the tip, more so the more there are. */
export function linkRadii(n: number, reach: number): number[] {
  const base = Math.min(13, Math.max(3.5, 0.036 * reach));
  const tip = Math.max(2, base * Math.max(0.34, 0.52 - 0.03 * n));
  return Array.from({ length: n + 1 }, (_, i) => base + ((tip - base) * i) / Math.max(1, n));
}

/** A rectangle of the plane [m]. */
export interface Bounds {
  left: number;
  right: number;
  bottom: number;
  top: number;
}

/** Which part of the plane a canvas shows, in CSS pixels; y points up in the plane. */
export class Viewport {
  width = 1;
  height = 1;
  /** Pixels a metre, where everything fits. */
  #fitted = 1;
  #middle: [number, number] = [0, 0];
  #zoom = 1;
  #pan: [number, number] = [0, 0];

  get scale(): number {
    return this.#fitted * this.#zoom;
  }

  get zoom(): number {
    return this.#zoom;
  }

  get moved(): boolean {
    return this.#zoom !== 1 || this.#pan[0] !== 0 || this.#pan[1] !== 0;
  }

  /** Fit `bounds` into a canvas of this size with `margin` pixels around it. */
  fit(bounds: Bounds, width: number, height: number, margin: number): void {
    this.width = Math.max(1, width);
    this.height = Math.max(1, height);
    const wide = Math.max(1, this.width - 2 * margin) / Math.max(1e-9, bounds.right - bounds.left);
    const high = Math.max(1, this.height - 2 * margin) / Math.max(1e-9, bounds.top - bounds.bottom);
    const before = this.#fitted;
    this.#fitted = Math.min(wide, high);
    this.#middle = [(bounds.left + bounds.right) / 2, (bounds.bottom + bounds.top) / 2];
    this.#pan = [(this.#pan[0] * this.#fitted) / before, (this.#pan[1] * this.#fitted) / before];
  }

  reset(): void {
    this.#zoom = 1;
    this.#pan = [0, 0];
  }

  /** Zoom so that what lies under the pixel (px, py) stays there. */
  zoomAt(factor: number, px: number, py: number): void {
    const zoom = Math.min(200, Math.max(0.25, this.#zoom * factor));
    const by = zoom / this.#zoom;
    const fromX = px - this.width / 2;
    const fromY = py - this.height / 2;
    this.#pan = [fromX - (fromX - this.#pan[0]) * by, fromY - (fromY - this.#pan[1]) * by];
    this.#zoom = zoom;
  }

  /** Move the picture by pixels. */
  panBy(dx: number, dy: number): void {
    this.#pan = [this.#pan[0] + dx, this.#pan[1] + dy];
  }

  /** Pixel of a point of the plane. */
  x(x: number): number {
    return this.width / 2 + this.#pan[0] + (x - this.#middle[0]) * this.scale;
  }

  y(y: number): number {
    return this.height / 2 + this.#pan[1] - (y - this.#middle[1]) * this.scale;
  }

  /** What part of the plane is seen. */
  seen(): Bounds {
    const left = this.#middle[0] - (this.width / 2 + this.#pan[0]) / this.scale;
    const top = this.#middle[1] + (this.height / 2 + this.#pan[1]) / this.scale;
    return { left, right: left + this.width / this.scale, bottom: top - this.height / this.scale, top };
  }
}

/** The least of 1, 2, 5 times a power of ten that is at least `size`. */
export function niceStep(size: number): number {
  const power = 10 ** Math.floor(Math.log10(size));
  for (const factor of [1, 2, 5]) if (factor * power >= size * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

/** The least step [°] of at least `size` that parts a turn evenly, or is a number of turns. */
export function angleStep(size: number): number {
  const step = [15, 30, 45, 90, 180, 360].find((one) => one >= size * (1 - 1e-9));
  if (size <= 10) return niceStep(size);
  return step ?? 360 * niceStep(size / 360);
}

/** Multiples of `step` from `low` to `high`, as whole numbers of steps. */
export function multiples(low: number, high: number, step: number): number[] {
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i);
}

export interface LengthUnit {
  name: string;
  /** shown = factor · metres */
  factor: number;
  digits: number;
}

/** The unit to show lengths of this size [m] in, with three decimals of a metre or as fine. */
export function lengthUnit(size: number): LengthUnit {
  if (size < 0.03) return { name: "mm", factor: 1000, digits: 2 };
  if (size < 0.3) return { name: "cm", factor: 100, digits: 2 };
  return { name: "m", factor: 1, digits: 3 };
}

export function emptyBounds(): Bounds {
  return { left: Infinity, right: -Infinity, bottom: Infinity, top: -Infinity };
}

/** Stretch bounds to hold a point; NaN stretches nothing. */
export function stretch(bounds: Bounds, x: number, y: number): void {
  if (x < bounds.left) bounds.left = x;
  if (x > bounds.right) bounds.right = x;
  if (y < bounds.bottom) bounds.bottom = y;
  if (y > bounds.top) bounds.top = y;
}

/** Bounds with a margin, at least `least` wide and high, and moved to lie within `within` where they fit. */
export function padded(bounds: Bounds, margin: number, least: number, within: Bounds): Bounds {
  const [left, right] = paddedSpan(bounds.left, bounds.right, margin, least, within.left, within.right);
  const [bottom, top] = paddedSpan(bounds.bottom, bounds.top, margin, least, within.bottom, within.top);
  return { left, right, bottom, top };
}

function paddedSpan(low: number, high: number, margin: number, least: number, from: number, to: number): [number, number] {
  const size = Math.max(high - low + 2 * margin, least);
  if (!(size < to - from)) return [Math.min(from, low), Math.max(to, high)];
  const start = Math.min(to - size, Math.max(from, (low + high - size) / 2));
  return [Math.min(start, low), Math.max(start + size, high)];
}
