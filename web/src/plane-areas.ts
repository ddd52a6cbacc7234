/** Areas behind an x–y picture: cells that fill a rectangle, such as the basins of a phase portrait. */

import type { Column, Loaded, PlaneAreas, PlaneTint } from "./document";
import { at } from "./interpolate";
import { mix, type Palette } from "./palette";
import type { PlaneView } from "./plane-view";

/** The colour of a tint, for a canvas. */
function paintedColour({ color, depth }: PlaneTint, { data, card, lineStrong, tint }: Palette): string {
  return color === null ? lineStrong : mix(data[color] as string, card, Math.min(1, depth * tint));
}

/** The same for a style sheet, which follows the theme. */
export function styledColour({ color, depth }: PlaneTint): string {
  if (color === null) return "var(--line-strong)";
  return `color-mix(in oklab, var(--data-${color}) calc(${100 * depth}% * var(--tint)), var(--card))`;
}

export class AreaPicture {
  readonly #areas: PlaneAreas;
  readonly #cells: Column;
  readonly #canvas = document.createElement("canvas");

  constructor(areas: PlaneAreas, loaded: Loaded) {
    this.#areas = areas;
    this.#cells = loaded.column(areas.cells);
    this.#canvas.width = areas.columns;
    this.#canvas.height = this.#cells.length / areas.columns;
  }

  /** Paint the cells in the colours of a palette. */
  paint(palette: Palette): void {
    const context = this.#canvas.getContext("2d");
    if (!context) return;
    const colours = pixelsOf(this.#areas.tints.map((tint) => paintedColour(tint, palette)));
    const { width, height } = this.#canvas;
    const image = context.createImageData(width, height);
    const pixels = new Uint32Array(image.data.buffer);
    for (let row = 0; row < height; row++) {
      const from = (height - 1 - row) * width;
      for (let k = 0; k < width; k++) pixels[row * width + k] = colours[at(this.#cells, from + k)] ?? 0;
    }
    context.putImageData(image, 0, 0);
  }

  draw(context: CanvasRenderingContext2D, view: PlaneView): void {
    const [left, right, bottom, top] = this.#areas.extent;
    const [x, y] = [view.px(left), view.py(top)];
    context.imageSmoothingEnabled = false;
    context.drawImage(this.#canvas, x, y, view.px(right) - x, view.py(bottom) - y);
  }

  /** The name of the area at a point of the plane; empty outside. */
  nameAt(x: number, y: number): string {
    const [left, right, bottom, top] = this.#areas.extent;
    const { width, height } = this.#canvas;
    const column = Math.floor(((x - left) / (right - left)) * width);
    const row = Math.floor(((y - bottom) / (top - bottom)) * height);
    if (!(column >= 0 && column < width && row >= 0 && row < height)) return "";
    return this.#areas.tints[at(this.#cells, row * width + column)]?.label ?? "";
  }
}

/** Colours as pixels of an image, as the canvas itself understands them. */
function pixelsOf(colours: readonly string[]): Uint32Array {
  const canvas = document.createElement("canvas");
  canvas.width = colours.length;
  canvas.height = 1;
  const context = canvas.getContext("2d");
  if (!context) return new Uint32Array(colours.length);
  colours.forEach((colour, i) => {
    context.fillStyle = colour;
    context.fillRect(i, 0, 1, 1);
  });
  return new Uint32Array(context.getImageData(0, 0, colours.length, 1).data.buffer);
}
