/**
 * A sweep to move through: a slider for every parameter, the scalars over one parameter or two, the curves of
 * the chosen point among those of its family, and its numbers.
 */

import type { Loaded, SweepSpec } from "./document";
import { el } from "./dom";
import { scrollBox } from "./sections";
import type { Say } from "./sections";
import { type CurveOutput, type Knob, type Output, significant, SweepData } from "./sweep-data";
import { SweepMap } from "./sweep-map";
import { FamilyPlot, ScalarPlot } from "./sweep-plots";

/** What is spoken of a point follows a slider when it has stood still for so many milliseconds. */
const SPOKEN = 350;
/** Keys that move a slider, and nothing else of the page. */
const SLIDER_KEYS = new Set(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "PageUp", "PageDown"]);
const NONE = "none";

let selects = 0;

interface Slider {
  element: HTMLElement;
  show(place: number): void;
}

export class SweepView {
  readonly element: HTMLElement;
  readonly #data: SweepData;
  readonly #say: Say;
  readonly #places: number[];
  readonly #sliders: Slider[];
  readonly #scalars: ScalarPart | null;
  readonly #curves: CurvePart | null;
  readonly #numbers = el("div", {});
  readonly #status = el("p", { class: "sweep-status" });
  #speaking: ReturnType<typeof setTimeout> | undefined;
  #frame = 0;

  constructor(spec: SweepSpec, loaded: Loaded, say: Say) {
    this.#data = new SweepData(spec, loaded);
    this.#say = say;
    this.#places = this.#data.shape.map(() => 0);
    this.#sliders = this.#data.knobs.map((knob, axis) => makeSlider(knob, (place) => this.#move(axis, place)));
    const choose = (point: number): void => this.#choose(point);
    const changed = (): void => this.#showPictures();
    this.#scalars = this.#data.scalars.length > 0 ? new ScalarPart(this.#data, choose, changed) : null;
    this.#curves = this.#data.curves.length > 0 ? new CurvePart(this.#data, changed) : null;
    const controls = el(
      "section",
      { class: "ulna-card sweep-controls", "aria-labelledby": "ulna-sweep-parameters" },
      el("h2", { id: "ulna-sweep-parameters", text: "Parameters" }),
      ...this.#sliders.map((slider) => slider.element),
      this.#status,
      el("div", { class: "sweep-numbers" }, scrollBox("Numbers of this point", this.#numbers)),
    );
    const graphs = el("div", { class: "sweep-graphs" }, this.#scalars?.element, this.#curves?.element);
    this.element = el("div", { class: "ulna-sweep" }, controls, graphs);
  }

  /** Draw; the element has to be in the page. */
  show(): void {
    this.#showPoint();
    this.#showPictures();
  }

  recolour(): void {
    this.#scalars?.recolour();
    this.#curves?.recolour();
  }

  destroy(): void {
    clearTimeout(this.#speaking);
    cancelAnimationFrame(this.#frame);
    this.#scalars?.destroy();
    this.#curves?.destroy();
    this.element.remove();
  }

  #move(axis: number, place: number): void {
    this.#places[axis] = place;
    this.#changed();
  }

  #choose(point: number): void {
    this.#places.forEach((_, axis) => (this.#places[axis] = this.#data.placeAlong(axis, point)));
    this.#changed();
  }

  /** The numbers follow at once, the pictures in the next frame: a slider may move several times in one. */
  #changed(): void {
    this.#showPoint();
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => this.#showPictures());
    clearTimeout(this.#speaking);
    this.#speaking = setTimeout(() => this.#say(this.#spoken()), SPOKEN);
  }

  #point(): number {
    return this.#data.pointAt(this.#places);
  }

  #showPictures(): void {
    this.#scalars?.show(this.#places);
    this.#curves?.show(this.#places, this.#scalars?.across ?? 0);
  }

  #showPoint(): void {
    this.#sliders.forEach((slider, axis) => slider.show(this.#places[axis] ?? 0));
    const point = this.#point();
    const { word, ok } = this.#data.statusOf(point);
    this.#status.textContent = `Point ${this.#data.numberOf(point)}: ${word}`;
    this.#status.classList.toggle("sweep-failed", !ok);
    this.#numbers.replaceChildren(pointTable(this.#data, point));
  }

  #spoken(): string {
    const point = this.#point();
    const first = this.#data.scalars[0];
    const values = first?.components.map((name, k) => `${name} ${significant(first.columns[k]?.[point] ?? Number.NaN)}`.trim());
    const told = first && values ? `, ${first.name} ${values.join(", ")} ${first.unit}` : "";
    return `${this.#status.textContent ?? ""}${told}`.trim();
  }
}

/** The numbers of a point: what is varied, then what came out. */
function pointTable(data: SweepData, point: number): HTMLElement {
  const row = (name: string, value: string, unit: string): HTMLElement =>
    el("tr", { data: { name } }, el("th", { scope: "row", text: name }), el("td", { class: "ulna-number", text: value }), el("td", { text: unit }));
  const varied = data.spec.grid
    ? []
    : data.spec.parameters.map((one, k) => row(one.name, data.parameterText(k, point), one.unit));
  const scalars = data.scalars.flatMap((output) =>
    output.components.map((component, k) =>
      row(`${output.name} ${component}`.trim(), significant(output.columns[k]?.[point] ?? Number.NaN), output.unit),
    ),
  );
  return el("table", { class: "sweep-table" }, el("tbody", {}, ...varied, ...scalars));
}

function makeSlider(knob: Knob, moved: (place: number) => void): Slider {
  const id = `ulna-sweep-${knob.name.replace(/[^A-Za-z0-9]+/g, "-")}`;
  const value = el("span", { class: "sweep-value" });
  const input = el("input", {
    id,
    class: "ulna-range",
    type: "range",
    min: 0,
    max: Math.max(1, knob.count - 1),
    step: 1,
    disabled: knob.count < 2,
    on: {
      input: () => moved(Number(input.value)),
      keydown: (event) => {
        if (SLIDER_KEYS.has(event.key)) event.stopPropagation();
      },
    },
  });
  const element = el(
    "div",
    { class: "sweep-slider" },
    el("label", { for: id, class: "sweep-name", text: knob.name }),
    el("span", { class: "sweep-reading" }, value, knob.unit && el("span", { class: "chart-unit", text: knob.unit })),
    input,
  );
  const show = (place: number): void => {
    const text = `${knob.text(place)} ${knob.unit}`.trim();
    input.value = String(place);
    input.setAttribute("aria-valuetext", text);
    input.style.setProperty("--share", `${(100 * place) / Math.max(1, knob.count - 1)}%`);
    value.textContent = knob.text(place);
  };
  return { element, show };
}

/** A labelled list to choose from. */
function chooser(label: string, options: readonly (readonly [string, string])[], changed: () => void): { element: HTMLElement; select: HTMLSelectElement } {
  const id = `ulna-sweep-select-${++selects}`;
  const select = el("select", { id, class: "sweep-select", on: { change: changed } });
  select.append(...options.map(([value, text]) => el("option", { value, text })));
  return { element: el("span", { class: "sweep-choice" }, el("label", { for: id, text: label }), select), select };
}

/** One scalar over one parameter, or over two. */
class ScalarPart {
  readonly element: HTMLElement;
  readonly #data: SweepData;
  readonly #line: ScalarPlot;
  readonly #map: SweepMap;
  readonly #what: HTMLSelectElement;
  readonly #over: HTMLSelectElement;
  readonly #and: HTMLSelectElement;
  readonly #of: { element: HTMLElement; select: HTMLSelectElement };
  readonly #key = el("p", { class: "sweep-key" });
  readonly #note = el("p", { class: "chart-note" });

  constructor(data: SweepData, choose: (point: number) => void, changed: () => void) {
    this.#data = data;
    this.#line = new ScalarPlot(data, choose);
    this.#map = new SweepMap(data, choose);
    const parameters = data.spec.parameters
      .map((one, k): readonly [string, string] => [String(k), one.name])
      .filter(([k]) => !data.spec.grid || (data.shape[Number(k)] ?? 1) > 1);
    const shown = parameters.length > 0 ? parameters : [["0", data.spec.parameters[0]?.name ?? ""] as const];
    const outputs = data.scalars.map((one, k): readonly [string, string] => [String(k), one.name]);
    const [what, over] = [chooser("Show", outputs, changed), chooser("over", shown, changed)];
    const and = chooser("and", [[NONE, "nothing else"], ...shown], changed);
    this.#of = chooser("of", [], changed);
    [this.#what, this.#over, this.#and] = [what.select, over.select, and.select];
    and.element.hidden = !data.spec.grid || shown.length < 2;
    this.element = el(
      "figure",
      { class: "chart sweep-figure", "aria-label": "Scalars", data: { sweep: "scalars" } },
      el("figcaption", { class: "sweep-head" }, what.element, over.element, and.element, this.#of.element),
      this.#key,
      this.#line.element,
      this.#map.element,
      this.#note,
    );
  }

  /** The parameter that is across. */
  get across(): number {
    return Number(this.#over.value);
  }

  show(places: readonly number[]): void {
    const output = this.#data.scalars[Number(this.#what.value)] as Output;
    const up = this.#and.value === NONE || this.#and.value === this.#over.value ? null : Number(this.#and.value);
    this.#line.element.hidden = up !== null;
    this.#map.element.hidden = up === null;
    this.#of.element.hidden = up === null || output.components.length < 2;
    fillOptions(this.#of.select, output.components);
    this.#key.replaceChildren(...keyOf(output, up === null ? null : this.#component(output)));
    this.#note.textContent = noteOf(output, this.#data, up !== null);
    if (up === null) this.#line.show({ output, parameter: this.across, places });
    else this.#map.show({ output, component: this.#component(output), across: this.across, up, places });
  }

  recolour(): void {
    this.#line.recolour();
    this.#map.recolour();
  }

  destroy(): void {
    this.#line.destroy();
    this.#map.destroy();
  }

  #component(output: Output): number {
    const at = output.components.indexOf(this.#of.select.value);
    return at < 0 ? 0 : at;
  }
}

function fillOptions(select: HTMLSelectElement, names: readonly string[]): void {
  const now = [...select.options].map((option) => option.value);
  if (now.join("\n") === names.join("\n")) return;
  select.replaceChildren(...names.map((name) => el("option", { value: name, text: name })));
}

/** What the colours of lines stand for; of one component its name alone. */
function keyOf(output: Output, component: number | null): HTMLElement[] {
  const unit = output.unit && el("span", { class: "chart-unit", text: output.unit });
  const names = component === null ? output.components : [output.components[component] ?? ""];
  const entries = names.filter(Boolean).map((name, k) => {
    const swatch = el("span", { class: "chart-swatch" });
    swatch.style.setProperty("--series", `var(--data-${k % 6})`);
    return el("span", { class: "chart-value" }, component === null && swatch, el("span", { text: name }));
  });
  return [el("span", { class: "chart-value" }, el("span", { class: "sweep-output", text: output.about || output.name }), unit), ...entries];
}

function noteOf(output: Output, data: SweepData, map: boolean): string {
  let missing = 0;
  for (let point = 0; point < data.count; point++) {
    if (!output.columns.every((column) => Number.isFinite(column[point]))) missing++;
  }
  if (missing === 0) return "";
  return `${missing} of ${data.count} points have no value: ${map ? "hatched" : "a cross at the foot"}`;
}

/** The curves of the chosen point, a picture for each joint. */
class CurvePart {
  readonly element: HTMLElement;
  readonly #data: SweepData;
  readonly #what: HTMLSelectElement;
  readonly #rows = el("div", { class: "sweep-rows" });
  readonly #note = el("p", { class: "chart-note" });
  #plots: FamilyPlot[] = [];
  #shown: CurveOutput | null = null;

  constructor(data: SweepData, changed: () => void) {
    this.#data = data;
    const what = chooser("Show", data.curves.map((one, k): readonly [string, string] => [String(k), one.name]), changed);
    this.#what = what.select;
    this.element = el(
      "figure",
      { class: "chart sweep-figure", "aria-label": "Curves", data: { sweep: "curves" } },
      el("figcaption", { class: "sweep-head" }, what.element),
      this.#rows,
      this.#note,
    );
  }

  show(places: readonly number[], across: number): void {
    const curve = this.#data.curves[Number(this.#what.value)] as CurveOutput;
    if (curve !== this.#shown) this.#makeRows(curve);
    const { grid, parameters } = this.#data.spec;
    const chosen = this.#data.pointAt(places);
    const family = grid ? this.#data.pointsAlong(across, places) : Array.from({ length: this.#data.count }, (_, point) => point);
    this.#plots.forEach((plot, component) => plot.show({ curve, component, family, chosen }));
    const name = parameters[across]?.name ?? "";
    const gap = this.#data.samples(curve, 0, chosen).every((value) => !Number.isFinite(value));
    const missing = gap ? "this point has no curve; " : "";
    this.#note.textContent = `${missing}faded: ${grid ? `the other values of ${name}` : "other points"}; across: ${curve.clock}`;
  }

  recolour(): void {
    for (const plot of this.#plots) plot.recolour();
  }

  destroy(): void {
    for (const plot of this.#plots) plot.destroy();
  }

  #makeRows(curve: CurveOutput): void {
    this.destroy();
    this.#shown = curve;
    this.#plots = curve.components.map(() => new FamilyPlot(this.#data));
    const rows = curve.components.map((name, k) => {
      const text = [name || curve.about || curve.name, curve.unit && `[${curve.unit}]`].filter(Boolean).join(" ");
      return el("div", { class: "sweep-row" }, el("p", { class: "sweep-row-name", text }), this.#plots[k]?.element);
    });
    this.#rows.replaceChildren(...rows);
  }
}
