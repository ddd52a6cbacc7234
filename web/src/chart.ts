/**
 * A chart over time, bound to the clock.
 *
 * uPlot draws it once; while the clock plays only the playhead moves, by a transform, and the numbers in
 * the header follow twenty times a second. All charts of a clock show the same part of time.
 */

import type uPlot from "uplot";
import { ChartInput } from "./chart-input";
import { makePlot, sizeIn } from "./chart-plot";
import { SharedRange } from "./chart-range";
import { belowFrame, type Curve, curvesOf, longestNumber, numberText, summary, valueAt, valueText } from "./chart-series";
import { csvOf, fileName, type Table, tableOf } from "./chart-table";
import type { Clock } from "./clock";
import type { ChartSpec, Loaded } from "./document";
import { el } from "./dom";
import { download, FigureMenu, swapTable, tableElement } from "./figure-menu";
import { type Palette, readPalette } from "./palette";

/** The numbers in the header follow a playing clock every so many milliseconds. */
const PERIOD = 50;
/** What is spoken of a time follows a crosshair every so many milliseconds, and in the end. */
const SPOKEN = 120;

let charts = 0;

/** A curve's number in the header and its mark on the curve. */
interface Reading {
  curve: Curve;
  number: Text;
  dot: HTMLElement;
}

export class Chart {
  readonly element: HTMLElement;
  readonly #spec: ChartSpec;
  readonly #clock: Clock;
  readonly #range: SharedRange;
  readonly #curves: Curve[];
  readonly #title: string;
  #palette: Palette;
  readonly #menu: FigureMenu;
  readonly #focus: HTMLElement;
  readonly #stage: HTMLElement;
  readonly #playhead = el("div", { class: "chart-playhead" });
  readonly #readings: Reading[];
  readonly #whole: HTMLButtonElement;
  readonly #plot: uPlot;
  readonly #input: ChartInput;
  readonly #ends: (() => void)[] = [];
  #table: HTMLElement | null = null;
  #visible = true;
  #shownAt = 0;
  #spokenAt = -SPOKEN;
  #speaking: ReturnType<typeof setTimeout> | undefined;

  constructor(host: HTMLElement, spec: ChartSpec, loaded: readonly Loaded[], clock: Clock, range = SharedRange.of(clock)) {
    this.#spec = spec;
    this.#clock = clock;
    this.#range = range;
    this.#curves = curvesOf(spec, loaded);
    this.#title = loaded[0]?.header.title ?? "";
    const id = `ulna-chart-${++charts}`;
    this.#readings = this.#curves.map((curve) => makeReading(curve));
    this.#whole = el("button", {
      class: "chart-whole",
      type: "button",
      text: "Whole time",
      "aria-label": `${spec.title}: show the whole time`,
      hidden: true,
      on: { click: () => this.#showAll() },
    });
    this.#menu = this.#makeMenu();
    this.#focus = this.#makeFocus(id);
    // Beside the slider, not in it: a slider has no controls inside.
    this.#stage = el("div", { class: "chart-stage" }, this.#focus, this.#whole);
    this.element = this.#makeFigure(id);
    host.append(this.element);
    this.#palette = readPalette(this.element);
    this.#plot = makePlot(this.#focus, spec, this.#curves, range, () => this.#palette);
    this.#input = this.#addLayer();
    this.#watch();
    this.#rerange();
  }

  /** Fit the picture to its place. */
  resize(): void {
    const size = sizeIn(this.#focus);
    if (this.#focus.clientWidth === 0 || (size.width === this.#plot.width && size.height === this.#plot.height)) return;
    this.#plot.setSize(size);
    queueMicrotask(() => this.#update());
  }

  /** Draw in the colours of the theme. */
  recolour(): void {
    this.#palette = readPalette(this.element);
    this.#plot.redraw(false);
  }

  destroy(): void {
    for (const end of this.#ends) end();
    clearTimeout(this.#speaking);
    this.#input.destroy();
    this.#menu.close();
    this.#plot.destroy();
    this.element.remove();
  }

  /** The part of time that is shown, as a table. */
  table(): Table {
    return tableOf(this.#spec, this.#curves, this.#range.min, this.#range.max);
  }

  /** All points. */
  csv(): string {
    return csvOf(this.#spec, this.#curves);
  }

  #makeMenu(): FigureMenu {
    const { title, id } = this.#spec;
    return new FigureMenu(`Options of ${title}`, [
      { label: () => (this.#table ? "Chart" : "Table"), run: () => this.#toggleTable() },
      { label: () => "CSV", run: () => download(`${fileName(this.#title, id)}.csv`, this.csv()) },
      { label: () => "Whole time", run: () => this.#range.reset(), enabled: () => this.#range.zoomed },
    ]);
  }

  /** The picture is a slider over time: that is what its keys do. */
  #makeFocus(id: string): HTMLElement {
    return el("div", {
      class: "chart-plot",
      tabindex: "0",
      role: "slider",
      "aria-label": `${this.#spec.title}: time`,
      "aria-describedby": `${id}-summary`,
      "aria-valuemin": this.#clock.start,
      "aria-valuemax": this.#clock.end,
      "aria-valuenow": this.#clock.time,
    });
  }

  #makeFigure(id: string): HTMLElement {
    const { title, unit } = this.#spec;
    const note = [this.#spec.note, belowFrame(this.#spec, this.#curves)].filter(Boolean).join("; ");
    const dashed = this.#curves.some((curve) => curve.dash);
    const values = this.#readings.map((reading) => valueElement(reading, this.#spec, dashed));
    const head = el(
      "figcaption",
      { class: "chart-head" },
      el("span", { class: "chart-title", id: `${id}-title`, text: title }),
      unit && el("span", { class: "chart-unit", text: unit }),
      el("span", { class: "chart-values" }, ...values),
      this.#menu.element,
    );
    return el(
      "figure",
      { class: "chart", "aria-labelledby": `${id}-title`, data: { chart: this.#spec.id } },
      head,
      this.#stage,
      el("p", { class: "ulna-hidden", id: `${id}-summary`, text: summary(this.#spec, this.#curves) }),
      note && el("p", { class: "chart-note", text: note }),
    );
  }

  /** Playhead, marks and selection above the curves, cut off at the edges of the plot. */
  #addLayer(): ChartInput {
    const selection = el("div", { class: "chart-selection", hidden: true });
    const dots = this.#readings.map((reading) => reading.dot);
    this.#plot.over.append(el("div", { class: "chart-layer" }, selection, this.#playhead, ...dots));
    return new ChartInput({
      area: this.#plot.over,
      focus: this.#focus,
      selection,
      width: () => this.#plot.bbox.width / devicePixelRatio, // needs no layout
      clock: this.#clock,
      range: this.#range,
    });
  }

  #watch(): void {
    const sizes = new ResizeObserver(() => this.resize());
    sizes.observe(this.#focus);
    const sight = new IntersectionObserver((entries) => {
      this.#visible = entries.at(-1)?.isIntersecting ?? true;
      if (this.#visible) this.#update();
    });
    sight.observe(this.element);
    this.#ends.push(
      () => sizes.disconnect(),
      () => sight.disconnect(),
      this.#clock.subscribe((time) => this.#follow(time)),
      this.#range.subscribe(() => this.#rerange()),
    );
    // Canvases do not wait for fonts.
    if (document.fonts.status !== "loaded") document.fonts.ready.then(() => this.#plot.redraw(false, true));
  }

  #rerange(): void {
    const { min, max, zoomed } = this.#range;
    this.#whole.hidden = !zoomed;
    this.#plot.setScale("x", { min, max });
    // uPlot settles its scales in a microtask; the marks stand on them.
    queueMicrotask(() => this.#update());
    if (this.#table) this.#refreshTable();
  }

  /** A frame of a playing clock: nothing but the playhead, and now and then the numbers. */
  #follow(time: number): void {
    if (!this.#clock.playing) return this.#update();
    if (!this.#visible) return;
    this.#placePlayhead(time);
    const now = performance.now();
    if (now - this.#shownAt < PERIOD) return;
    this.#shownAt = now;
    for (const reading of this.#readings) this.#showNumber(reading, valueAt(reading.curve, time));
    this.element.classList.add("chart-playing");
  }

  #update(): void {
    if (this.#visible) this.#showTime();
    this.#speakSoon();
  }

  #showTime(): void {
    const { time, playing } = this.#clock;
    this.#placePlayhead(time);
    for (const reading of this.#readings) {
      const value = valueAt(reading.curve, time);
      this.#showNumber(reading, value);
      this.#placeDot(reading, time, value);
    }
    this.element.classList.toggle("chart-playing", playing);
  }

  /** Tell assistive software the time and its values, of charts out of sight as well: not in every frame of a drag. */
  #speakSoon(): void {
    clearTimeout(this.#speaking);
    const wait = SPOKEN - (performance.now() - this.#spokenAt);
    if (wait > 0) this.#speaking = setTimeout(() => this.#speak(), wait);
    else this.#speak();
  }

  #speak(): void {
    this.#spokenAt = performance.now();
    if (!this.#visible) this.#showTime();
    const { time } = this.#clock;
    this.#focus.setAttribute("aria-valuenow", time.toFixed(3));
    this.#focus.setAttribute("aria-valuetext", this.#spoken(time));
  }

  #placePlayhead(time: number): void {
    this.#playhead.style.transform = `translateX(${this.#x(time).toFixed(2)}px)`;
  }

  #x(time: number): number {
    const { min, max } = this.#plot.scales.x as { min: number; max: number };
    // The plot's own width needs no layout.
    const width = this.#plot.bbox.width / devicePixelRatio;
    const x = ((time - min) / (max - min)) * width;
    // The line of a pixel is seen at the last time, too.
    return time > max ? width + 20 : time < min ? -20 : Math.min(x, width - 1);
  }

  #placeDot({ dot }: Reading, time: number, value: number): void {
    const y = Number.isFinite(value) && (!this.#spec.log || value > 0) ? this.#plot.valToPos(value, "y") : -20;
    dot.style.transform = `translate(${this.#x(time).toFixed(2)}px, ${y.toFixed(2)}px)`;
  }

  #showNumber({ number }: Reading, value: number): void {
    const text = valueText(value, this.#spec);
    if (number.data !== text) number.data = text;
  }

  #spoken(time: number): string {
    const values = this.#readings.map(({ curve, number }) => `${curve.name} ${number.data}`);
    return `${numberText(time, 2)} s: ${values.join(", ")} ${this.#spec.unit}`.trim();
  }

  #showAll(): void {
    this.#range.reset();
    this.#focus.focus();
  }

  #toggleTable(): void {
    this.#table = swapTable(this.#stage, this.#table, () => this.table());
    if (!this.#table) this.resize();
  }

  #refreshTable(): void {
    const table = tableElement(this.table());
    this.#table?.replaceWith(table);
    this.#table = table;
  }
}

function makeReading(curve: Curve): Reading {
  const dot = el("div", { class: "chart-dot" });
  dot.style.setProperty("--series", `var(--data-${curve.color})`);
  return { curve, number: document.createTextNode(""), dot };
}

function valueElement({ curve, number }: Reading, spec: ChartSpec, dashed: boolean): HTMLElement {
  const figure = el("span", { class: "chart-number", data: { series: curve.name } }, number);
  // As wide as the longest number, so that nothing moves while it plays.
  figure.style.minWidth = `${longestNumber(curve, spec)}ch`;
  const swatch = el("span", { class: curve.dash ? "chart-swatch chart-swatch-dash" : "chart-swatch" });
  const value = el("span", { class: "chart-value", title: curve.name }, dashed && swatch, el("span", { class: "chart-label", text: curve.name }), figure);
  value.style.setProperty("--series", `var(--data-${curve.color})`);
  return value;
}
