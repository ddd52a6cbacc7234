/** An x–y picture, of a phase portrait or of a batch's paths, that can be moved and zoomed. */

import { allowTouch, bindGestures } from "./arm-gestures";
import { numberText } from "./chart-series";
import { csvText, exactText, fileName, heading, isSingle, type Table } from "./chart-table";
import type { Loaded, PlaneSpec } from "./document";
import { el } from "./dom";
import { download, FigureMenu, swapTable } from "./figure-menu";
import { at } from "./interpolate";
import { type Palette, readPalette } from "./palette";
import { AreaPicture } from "./plane-areas";
import { type Bundle, bundlesOf, drawPlane } from "./plane-draw";
import { legendOf, pointName } from "./plane-legend";
import { linesOf, nearestLabel, pixelDigits, type PlaneLine, PlaneView, shownBounds } from "./plane-view";

/** Margin around everything [px]. */
const MARGIN = 34;
/** Pixels that an arrow key moves the picture. */
const STEP = 40;

let planes = 0;

export class Plane {
  readonly element: HTMLElement;
  readonly #spec: PlaneSpec;
  readonly #loaded: Loaded;
  readonly #lines: PlaneLine[];
  readonly #bundles: Bundle[];
  readonly #areas: AreaPicture | null;
  readonly #view: PlaneView;
  readonly #menu: FigureMenu;
  readonly #canvas: HTMLCanvasElement;
  readonly #box: HTMLElement;
  readonly #reading = el("span", { class: "plane-reading" });
  readonly #ends: (() => void)[] = [];
  #palette: Palette;
  #table: HTMLElement | null = null;
  #frame = 0;

  constructor(host: HTMLElement, spec: PlaneSpec, loaded: Loaded) {
    this.#spec = spec;
    this.#loaded = loaded;
    this.#lines = linesOf(spec, loaded);
    this.#bundles = bundlesOf(this.#lines);
    this.#areas = spec.areas ? new AreaPicture(spec.areas, loaded) : null;
    const equal = spec.x.unit === spec.y.unit && spec.x.factor === spec.y.factor;
    this.#view = new PlaneView(shownBounds(spec, this.#lines), equal);
    const id = `ulna-plane-${++planes}`;
    this.#menu = this.#makeMenu();
    this.#canvas = el("canvas", { class: "plane-canvas", tabindex: "0", role: "img", "aria-label": this.#summary(equal) });
    this.#box = el("div", { class: "plane-box" }, this.#canvas);
    this.element = this.#makeFigure(id);
    host.append(this.element);
    this.#palette = readPalette(this.element);
    this.#areas?.paint(this.#palette);
    this.#listen();
    this.resize();
  }

  /** Fit the picture to its place. */
  resize(): void {
    const [width, height] = [this.#box.clientWidth, this.#box.clientHeight];
    if (width === 0 || height === 0) return;
    // As fine as the screen, but no finer than a processor draws at once.
    const ratio = Math.min(devicePixelRatio || 1, 2);
    this.#canvas.width = Math.round(width * ratio);
    this.#canvas.height = Math.round(height * ratio);
    this.#view.fitInto(width, height, MARGIN);
    this.#draw();
  }

  recolour(): void {
    this.#palette = readPalette(this.element);
    this.#areas?.paint(this.#palette);
    this.#draw();
  }

  destroy(): void {
    cancelAnimationFrame(this.#frame);
    for (const end of this.#ends) end();
    this.#menu.close();
    this.element.remove();
  }

  /** The points, with what they are. */
  table(): Table {
    const { title, points, x, y } = this.#spec;
    const [perX, perY] = this.#view.perPixel();
    const rows = points.slice(0, 200).map((point) => [
      point.label ?? "",
      pointName(point),
      numberText(point.x * x.factor, pixelDigits(perX * x.factor) + 1),
      numberText(point.y * y.factor, pixelDigits(perY * y.factor) + 1),
    ]);
    const more = points.length > rows.length ? ` ${rows.length} of ${points.length} points.` : "";
    return {
      caption: title,
      columns: ["name", "what", heading(x.label, x.unit), heading(y.label, y.unit)],
      rows,
      note: `The CSV has all points of ${this.#lines.length} curves.${more}`,
    };
  }

  /** All points of all curves. */
  csv(): string {
    const { x, y, points } = this.#spec;
    const rows = this.#lines.flatMap((line, i) =>
      Array.from(line.x, (value, k) => [
        String(i + 1),
        line.label || line.role,
        exactText(value * x.factor, isSingle(line.x)),
        exactText(at(line.y, k) * y.factor, isSingle(line.y)),
      ]),
    );
    for (const point of points) {
      rows.push(["", point.label ?? point.role, String(point.x * x.factor), String(point.y * y.factor)]);
    }
    return csvText(["curve", "name", heading(x.label, x.unit), heading(y.label, y.unit)], rows);
  }

  #makeMenu(): FigureMenu {
    const { title, id } = this.#spec;
    return new FigureMenu(`Options of ${title}`, [
      { label: () => (this.#table ? "Picture" : "Table"), run: () => this.#toggleTable() },
      { label: () => "CSV", run: () => download(`${fileName(this.#loaded.header.title, id)}.csv`, this.csv()) },
      { label: () => "Zoom in", run: () => this.#zoom(1.5) },
      { label: () => "Zoom out", run: () => this.#zoom(1 / 1.5) },
      { label: () => "Whole picture", run: () => this.#whole(), enabled: () => this.#view.moved },
    ]);
  }

  #makeFigure(id: string): HTMLElement {
    return el(
      "figure",
      { class: "plane", "aria-labelledby": `${id}-title`, data: { plane: this.#spec.id } },
      el(
        "figcaption",
        { class: "chart-head" },
        el("span", { class: "chart-title", id: `${id}-title`, text: this.#spec.title }),
        el("span", { class: "chart-values" }, this.#reading),
        this.#menu.element,
      ),
      this.#box,
      legendOf(this.#spec),
      el("p", { class: "chart-note", text: "Drag to move, Ctrl + wheel or pinch to zoom." }),
    );
  }

  #summary(equal: boolean): string {
    const { title, x, y, points } = this.#spec;
    const axes = `${y.label} over ${x.label}${equal ? ", to one scale" : ""}`;
    const places = points.slice(0, 12).map((point) => {
      const place = `${numberText(point.x * x.factor, 2)} ${x.unit}, ${numberText(point.y * y.factor, 2)} ${y.unit}`;
      return `${point.label ?? ""} ${pointName(point)} at ${place}`.trim();
    });
    return `${title}: ${axes}; ${this.#lines.length} curves. ${places.join("; ")}`.trim();
  }

  #listen(): void {
    const ending = new AbortController();
    const { signal } = ending;
    const canvas = this.#canvas;
    canvas.addEventListener("pointermove", (event) => this.#read(event.offsetX, event.offsetY), { signal });
    canvas.addEventListener("pointerleave", () => this.#reading.replaceChildren(), { signal });
    canvas.addEventListener("keydown", (event) => this.#key(event), { signal });
    const sizes = new ResizeObserver(() => this.resize());
    sizes.observe(this.#box);
    this.#ends.push(
      () => ending.abort(),
      () => sizes.disconnect(),
      bindGestures(canvas, this.#view, { wheel: "ctrl", changed: () => this.#later() }),
    );
    if (document.fonts.status !== "loaded") document.fonts.ready.then(() => this.#later());
  }

  #later(): void {
    allowTouch(this.#canvas, this.#view);
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => this.#draw());
  }

  #draw(): void {
    const context = this.#canvas.getContext("2d");
    if (!context) return;
    const ratio = this.#canvas.width / this.#view.width;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const [spec, loaded, areas, bundles] = [this.#spec, this.#loaded, this.#areas, this.#bundles];
    drawPlane(context, { spec, loaded, areas, bundles, view: this.#view, palette: this.#palette });
  }

  /** Say in the header, where it hides nothing, what the pointer is at. */
  #read(px: number, py: number): void {
    const [x, y] = this.#view.under(px, py);
    const [perX, perY] = this.#view.perPixel();
    const value = (axis: PlaneSpec["x"], at: number, perPixel: number): HTMLElement =>
      el(
        "span",
        { class: "chart-value" },
        el("span", { class: "chart-label", text: axis.label }),
        el("span", { class: "chart-number", text: numberText(at * axis.factor, pixelDigits(perPixel * axis.factor)) }),
        el("span", { class: "chart-unit", text: axis.unit }),
      );
    const near = nearestLabel(this.#lines, this.#spec.points, this.#view, px, py, 10) || this.#areas?.nameAt(x, y);
    this.#reading.replaceChildren(
      ...(near ? [el("span", { class: "plane-near", text: near })] : []),
      value(this.#spec.x, x, perX),
      value(this.#spec.y, y, perY),
    );
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const moves: Record<string, () => void> = {
      ArrowLeft: () => this.#view.panBy(STEP, 0),
      ArrowRight: () => this.#view.panBy(-STEP, 0),
      ArrowUp: () => this.#view.panBy(0, STEP),
      ArrowDown: () => this.#view.panBy(0, -STEP),
      "+": () => this.#zoom(1.5),
      "=": () => this.#zoom(1.5),
      "-": () => this.#zoom(1 / 1.5),
      "0": () => this.#view.reset(),
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    move();
    this.#read(this.#view.width / 2, this.#view.height / 2);
    this.#later();
  }

  #zoom(factor: number): void {
    this.#view.zoomAt(factor, this.#view.width / 2, this.#view.height / 2);
    this.#later();
  }

  #whole(): void {
    this.#view.reset();
    this.#later();
  }

  #toggleTable(): void {
    this.#table = swapTable(this.#box, this.#table, () => this.table());
  }
}
