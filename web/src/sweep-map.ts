/** A scalar over two parameters of a grid: a cell for every point, coloured by its value. */

import { el } from "./dom";
import { shortened } from "./text";
import { mix, type Palette, readPalette } from "./palette";
import { type Output, rangeOf, significant, type SweepData } from "./sweep-data";

const STEPS = 48;
/** Names of values that are written along an axis at most. */
const MOST_TEXTS = 8;
const MARGIN = { left: 64, right: 12, top: 10, bottom: 26 };

export interface MapQuestion {
  output: Output;
  component: number;
  across: number;
  up: number;
  places: readonly number[];
}

export class SweepMap {
  readonly element: HTMLElement;
  readonly #data: SweepData;
  readonly #choose: (point: number) => void;
  readonly #canvas = el("canvas", { class: "plane-canvas", role: "img" });
  readonly #box = el("div", { class: "sweep-map-box" }, this.#canvas);
  readonly #low = el("span", {});
  readonly #high = el("span", {});
  readonly #sizes = new ResizeObserver(() => this.#draw());
  #asked: MapQuestion | null = null;
  /** Where the cell of the chosen point is. */
  #frame = { x: 0, y: 0, w: 0, h: 0 };

  constructor(data: SweepData, choose: (point: number) => void) {
    this.#data = data;
    this.#choose = choose;
    const scale = el("p", { class: "sweep-scale" }, this.#low, el("span", { class: "sweep-ramp", "aria-hidden": "true" }), this.#high);
    this.element = el("div", { class: "sweep-map" }, this.#box, scale);
    this.#canvas.addEventListener("click", (event) => this.#pick(event.offsetX, event.offsetY));
    this.#sizes.observe(this.#box);
    if (document.fonts.status !== "loaded") document.fonts.ready.then(() => this.#draw());
  }

  show(asked: MapQuestion): void {
    this.#asked = asked;
    const [low, high] = this.#range(asked);
    const { unit, name } = asked.output;
    this.#low.textContent = `${significant(low)} ${unit}`.trim();
    this.#high.textContent = `${significant(high)} ${unit}`.trim();
    const names = [asked.across, asked.up].map((axis) => this.#data.knobs[axis]?.name ?? "");
    const ends = `from ${this.#low.textContent} to ${this.#high.textContent}`;
    this.#canvas.setAttribute("aria-label", `${name} over ${names.join(" and ")}: ${ends}`);
    this.#draw();
  }

  recolour(): void {
    this.#draw();
  }

  destroy(): void {
    this.#sizes.disconnect();
    this.element.remove();
  }

  #range({ output, component }: MapQuestion): [number, number] {
    return rangeOf([output.columns[component] ?? []]);
  }

  #size(): { width: number; height: number; wide: number; high: number } {
    const [width, height] = [this.#box.clientWidth, this.#box.clientHeight];
    return { width, height, wide: width - MARGIN.left - MARGIN.right, high: height - MARGIN.top - MARGIN.bottom };
  }

  /** The point of a cell, counted from the left and from below. */
  #pointOf({ across, up, places }: MapQuestion, column: number, row: number): number {
    const there = [...places];
    there[across] = this.#data.ordered(across)[column] ?? 0;
    there[up] = this.#data.ordered(up)[row] ?? 0;
    return this.#data.pointAt(there);
  }

  #draw(): void {
    const asked = this.#asked;
    const { width, height, wide, high } = this.#size();
    const context = this.#canvas.getContext("2d");
    if (!asked || !context || wide <= 0 || high <= 0) return;
    const ratio = Math.min(devicePixelRatio || 1, 2);
    this.#canvas.width = Math.round(width * ratio);
    this.#canvas.height = Math.round(height * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const palette = readPalette(this.element);
    const [columns, rows] = [this.#data.shape[asked.across] ?? 1, this.#data.shape[asked.up] ?? 1];
    const [w, h] = [wide / columns, high / rows];
    const colours = Array.from({ length: STEPS + 1 }, (_, k) => rampColour(palette, k / STEPS));
    const [low, top] = this.#range(asked);
    const values = asked.output.columns[asked.component] ?? [];
    const chosen = this.#data.pointAt(asked.places);
    for (let column = 0; column < columns; column++) {
      for (let row = 0; row < rows; row++) {
        const point = this.#pointOf(asked, column, row);
        const [x, y] = [MARGIN.left + column * w, MARGIN.top + high - (row + 1) * h];
        const share = top > low ? ((values[point] ?? Number.NaN) - low) / (top - low) : 0.5;
        if (Number.isFinite(values[point])) {
          context.fillStyle = colours[Math.round(STEPS * share)] as string;
          context.fillRect(x, y, w + 0.6, h + 0.6);
        } else hatch(context, x, y, w, h, palette);
        if (point === chosen) this.#frame = { x, y, w, h };
      }
    }
    this.#outline(context, palette);
    this.#label(context, asked, palette);
  }

  #outline(context: CanvasRenderingContext2D, palette: Palette): void {
    const { x, y, w, h } = this.#frame;
    for (const [colour, width] of [[palette.card, 4], [palette.ink, 2]] as const) {
      context.strokeStyle = colour;
      context.lineWidth = width;
      context.strokeRect(x, y, w, h);
    }
  }

  #label(context: CanvasRenderingContext2D, { across, up }: MapQuestion, palette: Palette): void {
    const { width, height, wide, high } = this.#size();
    context.font = `11px ${palette.mono}`;
    context.fillStyle = palette.muted;
    context.textBaseline = "middle";
    for (const [axis, along] of [[across, true], [up, false]] as const) {
      const knob = this.#data.knobs[axis];
      const order = this.#data.ordered(axis);
      const every = Math.ceil(order.length / MOST_TEXTS);
      order.forEach((place, k) => {
        if (!knob || k % every !== 0) return;
        const share = (k + 0.5) / order.length;
        context.textAlign = along ? "center" : "right";
        const text = shortened(knob.text(place), 9);
        if (along) context.fillText(text, MARGIN.left + share * wide, height - 12, width / MOST_TEXTS);
        else context.fillText(text, MARGIN.left - 6, MARGIN.top + high - share * high, MARGIN.left - 8);
      });
    }
  }

  #pick(px: number, py: number): void {
    const asked = this.#asked;
    if (!asked) return;
    const { wide, high } = this.#size();
    const [columns, rows] = [this.#data.shape[asked.across] ?? 1, this.#data.shape[asked.up] ?? 1];
    const column = Math.floor(((px - MARGIN.left) / wide) * columns);
    const row = Math.floor(((MARGIN.top + high - py) / high) * rows);
    if (column >= 0 && column < columns && row >= 0 && row < rows) this.#choose(this.#pointOf(asked, column, row));
  }
}

/** From hardly more than the card to the accent, and on towards the ink. */
function rampColour(palette: Palette, share: number): string {
  if (share < 0.5) return mix(palette.accent, palette.card, 0.12 + 1.76 * share);
  return mix(palette.ink, palette.accent, 1.4 * (share - 0.5));
}

function hatch(context: CanvasRenderingContext2D, x: number, y: number, w: number, h: number, palette: Palette): void {
  context.save();
  context.beginPath();
  context.rect(x, y, w, h);
  context.clip();
  context.strokeStyle = palette.lineStrong;
  context.lineWidth = 1;
  context.beginPath();
  for (let at = -h; at < w; at += 6) {
    context.moveTo(x + at, y + h);
    context.lineTo(x + at + h, y);
  }
  context.stroke();
  context.restore();
}
