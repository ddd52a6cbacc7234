/** Charts of what has just happened: the last ten seconds, drawn anew at most twenty times a second. */

import uPlot from "uplot";
import { tickTexts } from "../chart-series";
import { el } from "../dom";
import { at } from "../interpolate";
import type { Palette } from "../palette";
import type { Session } from "./session";

const WINDOW = 10; // [s]
const CAPACITY = 800;
/** Milliseconds between two drawings. */
const APART = 50;
/** A drift below this share of the kinetic energy is rounding. */
const ROUNDING = 1e-12;

interface ChartLine {
  label: string;
  colour: number;
  dash?: boolean;
}

/** Samples of several lines over time; the oldest go. */
class Samples {
  readonly #columns: number[][];

  constructor(lines: number) {
    this.#columns = Array.from({ length: lines + 1 }, () => []);
  }

  push(time: number, values: readonly number[]): void {
    const times = this.#columns[0] as number[];
    // A reset, or an undo, goes back in time: what was seen after it did not happen.
    if (times.length > 0 && time <= at(times, times.length - 1)) {
      if (time === at(times, times.length - 1)) return;
      this.clear();
    }
    this.#columns.forEach((column, i) => column.push(i === 0 ? time : at(values, i - 1)));
    while (times.length > CAPACITY || (times.length > 2 && at(times, 0) < time - WINDOW)) for (const column of this.#columns) column.shift();
  }

  clear(): void {
    for (const column of this.#columns) column.length = 0;
  }

  get data(): uPlot.AlignedData {
    return this.#columns as unknown as uPlot.AlignedData;
  }

  get end(): number {
    const times = this.#columns[0] as number[];
    return times.length > 0 ? at(times, times.length - 1) : 0;
  }
}

/** One card: a title, a unit, values of this moment, and lines. */
class LiveChart {
  readonly element: HTMLElement;
  readonly #host: HTMLElement;
  readonly #numbers: HTMLElement[];
  readonly #note: HTMLElement;
  readonly #samples: Samples;
  readonly #plot: uPlot;

  constructor(parent: HTMLElement, title: string, unit: string, lines: readonly ChartLine[], palette: () => Palette) {
    this.#samples = new Samples(lines.length);
    this.#numbers = lines.map(() => el("span", { class: "chart-number" }));
    this.#note = el("p", { class: "play-chart-note" });
    const values = lines.map(({ label, colour }, i) => el("span", { class: `chart-value play-series-${colour}` }, el("span", { class: "chart-label", text: label }), this.#numbers[i]));
    this.#host = el("div", { class: "play-plot", "aria-hidden": "true" });
    this.element = el(
      "figure",
      { class: "chart play-chart", "aria-label": `${title}, ${unit}` },
      el("figcaption", { class: "chart-head" }, el("span", { class: "chart-title", text: title }), el("span", { class: "chart-unit", text: unit }), el("span", { class: "chart-values" }, ...values)),
      this.#host,
      this.#note,
    );
    parent.append(this.element);
    this.#plot = new uPlot(plotOptions(this.#host, lines, palette), this.#samples.data, this.#host);
  }

  push(time: number, values: readonly number[]): void {
    this.#samples.push(time, values);
  }

  clear(): void {
    this.#samples.clear();
  }

  /** Draw what was sampled; a chart out of sight only keeps it. */
  draw(values: readonly number[], note = ""): void {
    values.forEach((value, i) => {
      const text = shortNumber(value);
      const cell = this.#numbers[i];
      if (cell && cell.textContent !== text) cell.textContent = text;
    });
    if (this.#note.textContent !== note) this.#note.textContent = note;
    this.#plot.setData(this.#samples.data, false);
    const end = Math.max(WINDOW, this.#samples.end);
    this.#plot.batch(() => {
      this.#plot.setScale("x", { min: end - WINDOW, max: end });
    });
  }

  resize(): void {
    const { clientWidth: width, clientHeight: height } = this.#host;
    if (width > 0 && height > 0) this.#plot.setSize({ width, height });
  }

  redraw(): void {
    this.#plot.redraw(false);
  }

  destroy(): void {
    this.#plot.destroy();
    this.element.remove();
  }
}

function plotOptions(host: HTMLElement, lines: readonly ChartLine[], palette: () => Palette): uPlot.Options {
  const axis = (): uPlot.Axis => ({ stroke: () => palette().muted, font: `11px ${palette().mono}`, grid: { stroke: () => palette().grid, width: 1 }, ticks: { show: false }, gap: 6 });
  return {
    width: Math.max(120, host.clientWidth),
    height: Math.max(80, host.clientHeight),
    padding: [8, 20, 0, 4],
    legend: { show: false },
    cursor: { show: false },
    scales: { x: { time: false, auto: false }, y: { range: (_, low, high) => roomy(low, high) } },
    series: [{}, ...lines.map(({ colour, dash }): uPlot.Series => ({ stroke: () => palette().data[colour] as string, width: 1.6, pxAlign: 0, points: { show: false }, ...(dash ? { dash: [5, 4] } : {}) }))],
    axes: [
      { ...axis(), size: 22, space: 60, values: (_, ticks, _axis, _space, step) => tickTexts(ticks, step).map((text, i) => (i === ticks.length - 1 ? `${text} s` : text)) },
      { ...axis(), size: 46, space: 28, values: (_, ticks, _axis, _space, step) => tickTexts(ticks, step) },
    ],
  };
}

function roomy(low: number | null, high: number | null): [number, number] {
  const [from, to] = [low ?? -1, high ?? 1];
  if (from === 0 && to === 0) return [-1, 1];
  const room = Math.max(0.08 * (to - from), 1e-3 * Math.max(Math.abs(from), Math.abs(to)), 1e-6);
  return [from - room, to + room];
}

/** Three digits, and as wide whatever the sign. */
export function shortNumber(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size > 0 && (size < 1e-3 || size >= 1e5)) return value.toExponential(1).replace("-", "−").replace("e−", "e−");
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2).replace("-", "−");
}

/** Bars of the torques with their limits. */
class TorqueBars {
  readonly element: HTMLElement;
  readonly #fills: HTMLElement[];
  readonly #rows: HTMLElement[];
  readonly #texts: HTMLElement[];
  readonly #session: Session;
  readonly #peaks: number[];

  constructor(session: Session) {
    this.#session = session;
    this.#peaks = session.arm.joints.map(() => 1e-9);
    this.#fills = session.arm.joints.map(() => el("span", { class: "play-bar-fill" }));
    this.#texts = session.arm.joints.map(() => el("span", { class: "play-bar-text" }));
    this.#rows = session.arm.joints.map((joint, i) =>
      el("div", { class: "play-bar", role: "meter", "aria-label": `Torque of joint ${i + 1}`, "aria-valuemin": joint.maxTorque === null ? undefined : -joint.maxTorque, "aria-valuemax": joint.maxTorque ?? undefined }, el("span", { class: "play-bar-name", text: `τ${"₁₂₃₄"[i] ?? ""}` }), el("span", { class: "play-bar-rail" }, this.#fills[i]), this.#texts[i]),
    );
    this.element = el("div", { class: "play-bars" }, ...this.#rows);
  }

  draw(): void {
    const { simulation, arm } = this.#session;
    arm.joints.forEach((joint, i) => {
      const torque = at(simulation.tau, i);
      this.#peaks[i] = Math.max(at(this.#peaks, i), Math.abs(torque));
      const full = joint.maxTorque ?? at(this.#peaks, i);
      const share = Math.max(-1, Math.min(1, torque / full));
      const [row, fill, text] = [this.#rows[i] as HTMLElement, this.#fills[i] as HTMLElement, this.#texts[i] as HTMLElement];
      fill.style.transform = `scaleX(${share})`;
      const limited = joint.maxTorque !== null;
      row.classList.toggle("play-bar-full", limited && Math.abs(at(simulation.demand, i)) > full * (1 + 1e-9));
      const words = limited ? `${Math.round(100 * Math.abs(share))} % of ${shortNumber(full)} N·m` : `${shortNumber(torque)} N·m`;
      if (text.textContent !== words) text.textContent = words;
      row.setAttribute("aria-valuenow", torque.toPrecision(3));
      row.setAttribute("aria-valuetext", words);
    });
  }
}

export class LiveCharts {
  readonly element = el("div", { class: "play-charts" });
  readonly #session: Session;
  readonly #energy: LiveChart;
  readonly #angles: LiveChart;
  readonly #torques: LiveChart;
  readonly #bars: TorqueBars;
  #last = 0;

  /** `host` is in the page already, for the charts measure themselves. */
  constructor(host: HTMLElement, session: Session, palette: () => Palette) {
    this.#session = session;
    host.append(this.element);
    const joints = session.arm.joints.map((_, i): ChartLine => ({ label: `${i + 1}`, colour: i }));
    this.#energy = new LiveChart(this.element, "Energy", "J", [{ label: "kinetic", colour: 0 }, { label: "potential", colour: 1 }, { label: "total", colour: 2 }], palette);
    this.#angles = new LiveChart(this.element, "Joint speed", "rad/s", joints, palette);
    this.#torques = new LiveChart(this.element, "Torque", "N·m", joints, palette);
    this.#bars = new TorqueBars(session);
    this.#torques.element.querySelector(".play-plot")?.before(this.#bars.element);
    this.draw(0, true);
  }

  /** Keep this moment. */
  sample(): void {
    const { simulation } = this.#session;
    const { time } = simulation;
    const { kinetic, potential } = simulation.energies();
    this.#energy.push(time, [kinetic, potential, kinetic + potential]);
    this.#angles.push(time, simulation.qd);
    this.#torques.push(time, simulation.tau);
  }

  /** Draw, unless that was done a moment ago; `now` is the frame's time [ms]. */
  draw(now: number, always = false): void {
    if (!always && now - this.#last < APART) return;
    this.#last = now;
    const { simulation } = this.#session;
    const energies = simulation.energies();
    const drift = simulation.drift(energies);
    const note = drift === null ? "" : `drift ${drift < ROUNDING ? "below 1e−12" : drift.toExponential(1).replace("-", "−")} of the peak kinetic energy`;
    this.#energy.draw([energies.kinetic, energies.potential, energies.kinetic + energies.potential], note);
    this.#angles.draw(simulation.qd);
    this.#torques.draw(simulation.tau);
    this.#bars.draw();
  }

  clear(): void {
    for (const chart of this.#all()) chart.clear();
  }

  resize(): void {
    for (const chart of this.#all()) chart.resize();
  }

  recolour(): void {
    for (const chart of this.#all()) chart.redraw();
  }

  destroy(): void {
    for (const chart of this.#all()) chart.destroy();
    this.element.remove();
  }

  #all(): LiveChart[] {
    return [this.#energy, this.#angles, this.#torques];
  }
}
