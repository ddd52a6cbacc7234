/** The pictures of a sweep by uPlot: scalars over a parameter, and curves of a family over time. */

import uPlot from "uplot";
import { pickEvenly } from "./chart-table";
import { scaleFor, tickTexts } from "./chart-series";
import { sizeIn } from "./chart-plot";
import { el } from "./dom";
import { shortened } from "./text";
import { type Palette, readPalette } from "./palette";
import { type CurveOutput, nearestOf, type Output, rangeOf, type SweepData } from "./sweep-data";

/** Curves that a family draws at most, the chosen one besides. */
const MOST_CURVES = 60;

interface Picture {
  readonly element: HTMLElement;
  recolour(): void;
  destroy(): void;
}

/** A plot in a box of its own, which it fits. */
class FittedPlot implements Picture {
  readonly element = el("div", { class: "chart-plot sweep-plot" });
  protected plot: uPlot | null = null;
  protected palette: Palette | null = null;
  readonly #sizes = new ResizeObserver(() => this.#fit());

  /** Draw; the element has to be in the page. */
  protected draw(options: (style: () => Palette) => Omit<uPlot.Options, "width" | "height">, data: uPlot.AlignedData): void {
    this.plot?.destroy();
    this.palette = readPalette(this.element);
    const style = (): Palette => this.palette as Palette;
    this.plot = new uPlot({ ...sizeIn(this.element), ...options(style) }, data, this.element);
    this.#sizes.observe(this.element);
    // Canvases do not wait for fonts.
    if (document.fonts.status !== "loaded") document.fonts.ready.then(() => this.plot?.redraw(false, true));
  }

  recolour(): void {
    this.palette = readPalette(this.element);
    this.plot?.redraw(false);
  }

  destroy(): void {
    this.#sizes.disconnect();
    this.plot?.destroy();
    this.element.remove();
  }

  #fit(): void {
    const size = sizeIn(this.element);
    if (!this.plot || this.element.clientWidth === 0) return;
    if (size.width !== this.plot.width || size.height !== this.plot.height) this.plot.setSize(size);
  }
}

export interface LineQuestion {
  output: Output;
  /** The parameter across. */
  parameter: number;
  places: readonly number[];
}

/** A scalar over a parameter: a line for each component, or a cloud of all points of a design. */
export class ScalarPlot extends FittedPlot {
  readonly #data: SweepData;
  readonly #choose: (point: number) => void;
  #points: number[] = [];
  #x: number[] = [];
  #chosen = 0;
  #key = "";

  constructor(data: SweepData, choose: (point: number) => void) {
    super();
    this.#data = data;
    this.#choose = choose;
  }

  show({ output, parameter, places }: LineQuestion): void {
    const data = this.#data;
    const spec = data.spec.parameters[parameter];
    this.#chosen = data.pointAt(places);
    // Another point of the same line is another mark, and nothing else.
    const others = data.spec.grid ? places.filter((_, axis) => axis !== parameter) : [];
    const key = [output.name, parameter, ...others].join();
    if (key === this.#key && this.element.clientWidth > 0) return this.plot?.redraw(false, false);
    this.#key = key;
    this.#points = this.#shownPoints(parameter, places);
    this.#x = this.#points.map((point) => data.parameterAt(parameter, point));
    const lines = output.columns.map((column) => this.#points.map((point) => finite(column[point])));
    const [low, high] = scaleFor(...rangeOf(output.columns), [], false);
    this.draw(
      (style) => ({
        ...BARE,
        scales: {
          x: { time: false, ...(spec?.log ? { distr: 3 as const } : {}), range: () => padded(this.#x, spec?.log ?? false) },
          y: { range: () => [low, high] },
        },
        series: [{}, ...output.columns.map((_, k) => lineSeries(k, data.spec.grid, style))],
        axes: [acrossAxis(spec?.texts ?? null, spec?.unit ?? "", style), upAxis(style)],
        hooks: { draw: [(plot) => this.#mark(plot, output, style())], ready: [(plot) => this.#listen(plot)] },
      }),
      [this.#x, ...lines] as uPlot.AlignedData,
    );
  }

  /** The points from left to right. */
  #shownPoints(parameter: number, places: readonly number[]): number[] {
    const data = this.#data;
    if (!data.spec.grid) {
      const all = Array.from({ length: data.count }, (_, point) => point);
      return all.sort((a, b) => data.parameterAt(parameter, a) - data.parameterAt(parameter, b));
    }
    const along = data.pointsAlong(parameter, places);
    return data.ordered(parameter).map((place) => along[place] as number);
  }

  /** The chosen point by a line and dots, and points without a value by crosses at the foot. */
  #mark(plot: uPlot, output: Output, palette: Palette): void {
    const { ctx, bbox } = plot;
    const ratio = uPlot.pxRatio;
    const at = this.#points.indexOf(this.#chosen);
    ctx.save();
    if (at >= 0) {
      const x = plot.valToPos(this.#x[at] as number, "x", true);
      ctx.strokeStyle = palette.accent;
      ctx.lineWidth = 1.5 * ratio;
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      output.columns.forEach((column, k) => {
        const value = column[this.#chosen];
        if (value === undefined || !Number.isFinite(value)) return;
        ctx.fillStyle = palette.data[k % 6] as string;
        ctx.strokeStyle = palette.card;
        ctx.beginPath();
        ctx.arc(x, plot.valToPos(value, "y", true), 5 * ratio, 0, 2 * Math.PI);
        ctx.fill();
        ctx.stroke();
      });
    }
    ctx.strokeStyle = palette.bad;
    this.#points.forEach((point, k) => {
      if (output.columns.every((column) => Number.isFinite(column[point]))) return;
      cross(ctx, plot.valToPos(this.#x[k] as number, "x", true), bbox.top + bbox.height - 6 * ratio, 4 * ratio);
    });
    ctx.restore();
  }

  #listen(plot: uPlot): void {
    plot.over.addEventListener("click", (event) => {
      const near = nearestOf(
        this.#x.map((x) => plot.valToPos(x, "x")),
        event.offsetX,
      );
      const point = this.#points[near];
      if (point !== undefined) this.#choose(point);
    });
  }
}

export interface FamilyQuestion {
  curve: CurveOutput;
  component: number;
  /** The points of the family. */
  family: readonly number[];
  chosen: number;
}

/** The curve of the chosen point, with those of its family faded behind. */
export class FamilyPlot extends FittedPlot {
  readonly #data: SweepData;
  #key = "";
  #lines: (number | null)[][] = [];

  constructor(data: SweepData) {
    super();
    this.#data = data;
  }

  show({ curve, component, family, chosen }: FamilyQuestion): void {
    const samples = (point: number): (number | null)[] => Array.from(this.#data.samples(curve, component, point), finite);
    const key = [curve.name, ...family].join();
    if (key === this.#key) {
      this.plot?.setData([Array.from(curve.t), ...this.#lines, samples(chosen)] as uPlot.AlignedData);
      return;
    }
    this.#key = key;
    const drawn = pickEvenly(family, MOST_CURVES);
    this.#lines = drawn.map(samples);
    const [low, high] = scaleFor(...rangeOf(family.map((point) => this.#data.samples(curve, component, point))), [], false);
    const seconds = curve.clock.endsWith("[s]");
    const first = curve.t[0] ?? 0;
    const last = curve.t[curve.t.length - 1] ?? 1;
    this.draw(
      (style) => ({
        ...BARE,
        scales: { x: { time: false, range: () => [first, last] }, y: { range: () => [low, high] } },
        series: [{}, ...drawn.map(() => curveSeries(component, false, style)), curveSeries(component, true, style)],
        axes: [acrossAxis(null, seconds ? "s" : "", style), upAxis(style)],
      }),
      [Array.from(curve.t), ...this.#lines, samples(chosen)] as uPlot.AlignedData,
    );
  }
}

const BARE = {
  padding: [8, 18, 0, 4] as uPlot.Padding,
  legend: { show: false },
  cursor: { show: false },
  select: { show: false, left: 0, top: 0, width: 0, height: 0 },
};

function finite(value: number | undefined): number | null {
  return value !== undefined && Number.isFinite(value) ? value : null;
}

function lineSeries(k: number, grid: boolean, style: () => Palette): uPlot.Series {
  const colour = (): string => style().data[k % 6] as string;
  return {
    stroke: colour,
    width: 1.6,
    ...(grid ? {} : { paths: () => null }),
    points: { show: true, size: grid ? 6 : 4, fill: colour, stroke: colour, width: 0 },
  };
}

function curveSeries(component: number, chosen: boolean, style: () => Palette): uPlot.Series {
  return {
    stroke: () => style().data[component % 6] as string,
    width: chosen ? 2.2 : 1,
    alpha: chosen ? 1 : 0.22,
    pxAlign: 0,
    points: { show: false },
  };
}

function axis(style: () => Palette): uPlot.Axis {
  return {
    stroke: () => style().muted,
    font: `11px ${style().mono}`,
    grid: { stroke: () => style().grid, width: 1 },
    ticks: { show: false },
    gap: 6,
  };
}

/** What is across; the last tick names the unit, or the ticks are names. */
function acrossAxis(texts: readonly string[] | null, unit: string, style: () => Palette): uPlot.Axis {
  const named = {
    splits: () => (texts ?? []).map((_, k) => k),
    values: () => (texts ?? []).map((text) => shortened(text, 14)),
  };
  const numbered = {
    values: (_: uPlot, ticks: number[], __: number, ___: number, step: number) => {
      const written = tickTexts(ticks, step || 1);
      return written.map((text, k) => (k === written.length - 1 && unit ? `${text} ${unit}` : text));
    },
  };
  return { ...axis(style), size: 24, space: 56, ...(texts ? named : numbered) };
}

function upAxis(style: () => Palette): uPlot.Axis {
  return {
    ...axis(style),
    space: 32,
    size: (_, texts) => Math.max(44, 14 + 6.4 * Math.max(0, ...(texts ?? []).map((text) => text?.length ?? 0))),
    values: (_, ticks, _axis, _space, step) => tickTexts(ticks, step),
  };
}

function padded(values: readonly number[], log: boolean): [number, number] {
  const [low, high] = rangeOf([values]);
  if (log) return [low / 1.05, high * 1.05];
  const room = 0.04 * (high - low) || 0.5;
  return [low - room, high + room];
}

function cross(ctx: CanvasRenderingContext2D, x: number, y: number, size: number): void {
  ctx.beginPath();
  ctx.moveTo(x - size, y - size);
  ctx.lineTo(x + size, y + size);
  ctx.moveTo(x - size, y + size);
  ctx.lineTo(x + size, y - size);
  ctx.stroke();
}
