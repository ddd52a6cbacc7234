/** Where things of an x–y picture stand: the part of the plane that is seen, arrows, names. */

import type { Column, CurveRole, Loaded, PlanePoint, PlaneSpec } from "./document";
import { type Bounds, Viewport } from "./geometry";
import { at } from "./interpolate";

export interface PlaneLine {
  x: Column;
  y: Column;
  role: CurveRole;
  color: number;
  label: string;
}

export function linesOf(spec: PlaneSpec, loaded: Loaded): PlaneLine[] {
  return spec.curves.map((curve) => ({
    x: loaded.column(curve.x),
    y: loaded.column(curve.y),
    role: curve.role,
    color: curve.color,
    label: curve.label ?? "",
  }));
}

/** What a picture is fitted to: the range that is shown, else everything. */
export function shownBounds(spec: PlaneSpec, lines: readonly PlaneLine[]): Bounds {
  if (!spec.range) return boundsOf(lines, spec.points);
  const [left, right] = spec.range.x;
  const [bottom, top] = spec.range.y;
  return { left, right, bottom, top };
}

/** The smallest rectangle around all lines and points, never without size. */
export function boundsOf(lines: readonly PlaneLine[], points: readonly PlanePoint[]): Bounds {
  const bounds = { left: Infinity, right: -Infinity, bottom: Infinity, top: -Infinity };
  const add = (x: number, y: number): void => {
    if (!Number.isFinite(x) || !Number.isFinite(y)) return;
    bounds.left = Math.min(bounds.left, x);
    bounds.right = Math.max(bounds.right, x);
    bounds.bottom = Math.min(bounds.bottom, y);
    bounds.top = Math.max(bounds.top, y);
  };
  for (const line of lines) for (let i = 0; i < line.x.length; i++) add(at(line.x, i), at(line.y, i));
  for (const point of points) add(point.x, point.y);
  if (bounds.left > bounds.right) return { left: -1, right: 1, bottom: -1, top: 1 };
  const roomX = bounds.right > bounds.left ? 0 : Math.abs(bounds.left) || 1;
  const roomY = bounds.top > bounds.bottom ? 0 : Math.abs(bounds.top) || 1;
  return { left: bounds.left - roomX, right: bounds.right + roomX, bottom: bounds.bottom - roomY, top: bounds.top + roomY };
}

/**
 * A view whose axes have scales of their own: x and y are stretched to the canvas, then zoomed as one.
 * Axes of one unit keep one scale.
 */
export class PlaneView extends Viewport {
  readonly #bounds: Bounds;
  readonly #equal: boolean;
  #stretch: [number, number] = [1, 1];

  constructor(bounds: Bounds, equal: boolean) {
    super();
    this.#bounds = bounds;
    this.#equal = equal;
  }

  fitInto(width: number, height: number, margin: number): void {
    const { left, right, bottom, top } = this.#bounds;
    const wide = Math.max(1, width - 2 * margin) / (right - left);
    const high = Math.max(1, height - 2 * margin) / (top - bottom);
    this.#stretch = this.#equal ? [Math.min(wide, high), Math.min(wide, high)] : [wide, high];
    const [sx, sy] = this.#stretch;
    this.fit({ left: left * sx, right: right * sx, bottom: bottom * sy, top: top * sy }, width, height, margin);
  }

  /** Pixel of a value on the x axis. */
  px(x: number): number {
    return this.x(x * this.#stretch[0]);
  }

  py(y: number): number {
    return this.y(y * this.#stretch[1]);
  }

  /** Values a pixel, along x and y. */
  perPixel(): [number, number] {
    return [1 / (this.scale * this.#stretch[0]), 1 / (this.scale * this.#stretch[1])];
  }

  /** The point of the plane under a pixel. */
  under(px: number, py: number): [number, number] {
    const [x, y] = this.perPixel();
    return [(px - this.px(0)) * x, (this.py(0) - py) * y];
  }

  /** From values to pixels, as a canvas wants it. */
  matrix(): [number, number, number, number, number, number] {
    const [x, y] = this.perPixel();
    return [1 / x, 0, 0, -1 / y, this.px(0), this.py(0)];
  }
}

/** Decimals that tell neighbouring pixels apart. */
export function pixelDigits(perPixel: number): number {
  return Math.min(6, Math.max(0, Math.ceil(-Math.log10(perPixel) - 1e-9)));
}

export interface Arrow {
  x: number;
  y: number;
  angle: number;
}

/** Pixels along a line from arrow to arrow, and between any two arrows. */
const ARROW_STEP = 170;
const ARROW_SPACE = 64;

/** Arrows along lines as they are passed through, sparse enough to be read. */
export function arrowsOn(lines: readonly PlaneLine[], view: PlaneView): Arrow[] {
  const arrows: Arrow[] = [];
  const free = (x: number, y: number): boolean =>
    arrows.every((other) => Math.hypot(other.x - x, other.y - y) > ARROW_SPACE);
  for (const line of lines) {
    let walked = ARROW_STEP / 2;
    let [fromX, fromY] = [Number.NaN, Number.NaN];
    for (let i = 0; i < line.x.length; i++) {
      const [x, y] = [view.px(at(line.x, i)), view.py(at(line.y, i))];
      const length = Math.hypot(x - fromX, y - fromY);
      if (length > 0 && length < 80) walked += length;
      const inside = x > 16 && y > 16 && x < view.width - 16 && y < view.height - 16;
      if (length > 0 && walked >= ARROW_STEP && inside && free(x, y)) {
        arrows.push({ x, y, angle: Math.atan2(y - fromY, x - fromX) });
        walked = 0;
      }
      if (!(length <= 0.5)) [fromX, fromY] = [x, y];
    }
  }
  return arrows;
}

/** The line and point nearest to a pixel within `reach` pixels of it. */
export function nearestLabel(lines: readonly PlaneLine[], points: readonly PlanePoint[], view: PlaneView, px: number, py: number, reach: number): string {
  let best = reach;
  let label = "";
  const offer = (distance: number, name: string): void => {
    if (!(distance < best) || !name) return;
    best = distance;
    label = name;
  };
  for (const point of points) offer(Math.hypot(view.px(point.x) - px, view.py(point.y) - py), point.label ?? "");
  if (label) return label;
  for (const line of lines) {
    if (!line.label) continue;
    let from = [Number.NaN, Number.NaN] as [number, number];
    for (let i = 0; i < line.x.length; i++) {
      const to = [view.px(at(line.x, i)), view.py(at(line.y, i))] as [number, number];
      offer(fromSegment(px, py, from, to), line.label);
      from = to;
    }
  }
  return label;
}

/** Distance of (x, y) from the stretch between two points; NaN where one of them is a gap. */
function fromSegment(x: number, y: number, [x1, y1]: [number, number], [x2, y2]: [number, number]): number {
  const [dx, dy] = [x2 - x1, y2 - y1];
  const along = Math.min(1, Math.max(0, ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(x - x1 - along * dx, y - y1 - along * dy);
}
