/** The picture of a chart by uPlot: its options, its limits. Times and values have their own scales x and y. */

import uPlot from "uplot";
import type { SharedRange } from "./chart-range";
import { align, type Curve, drawnValues, isOutermost, isUpper, logTickTexts, scaleFor, tickTexts } from "./chart-series";
import type { ChartSpec, Limit } from "./document";
import type { Palette } from "./palette";

/** Colours and fonts as they are now: a change of theme changes them. */
type Style = () => Palette;

/** Draw a chart into `host`, as wide and high as that is. */
export function makePlot(host: HTMLElement, spec: ChartSpec, curves: readonly Curve[], range: SharedRange, style: Style): uPlot {
  const { t, samples } = align(curves);
  const values = curves.map((curve, i) => drawnValues(curve, samples[i] as Int32Array, spec.log ?? false));
  return new uPlot(options(host, spec, curves, range, style), [t, ...values], host);
}

/** Size of a plot in an element, in CSS pixels. */
export function sizeIn(host: HTMLElement): { width: number; height: number } {
  return { width: Math.max(120, host.clientWidth), height: Math.max(80, host.clientHeight) };
}

function options(
  host: HTMLElement,
  spec: ChartSpec,
  curves: readonly Curve[],
  range: SharedRange,
  style: Style,
): uPlot.Options {
  const limits = spec.limits.map((limit) => limit.value * spec.factor);
  const log = spec.log ?? false;
  return {
    ...sizeIn(host),
    padding: [8, 18, 0, 4],
    legend: { show: false },
    cursor: { show: false },
    select: { show: false, left: 0, top: 0, width: 0, height: 0 },
    scales: {
      x: { time: false, range: () => [range.min, range.max] },
      y: {
        ...(log ? { distr: 3 as const, log: 10 as const } : {}),
        range: (_, min, max) => scaleFor(min ?? Number.NaN, max ?? Number.NaN, limits, log),
      },
    },
    series: [{}, ...curves.map((curve) => seriesOptions(curve, style))],
    axes: [timeAxis(style), valueAxis(log, style)],
    hooks: {
      drawAxes: [(plot) => drawZero(plot, style()), (plot) => drawLimits(plot, spec, style())],
      draw: [(plot) => labelLimits(plot, spec, style())],
    },
  };
}

function seriesOptions(curve: Curve, style: Style): uPlot.Series {
  return {
    label: curve.name,
    stroke: () => style().data[curve.color] as string,
    width: 1.6,
    alpha: curve.dash ? 0.85 : 1,
    ...(curve.dash ? { dash: [5 * uPlot.pxRatio, 4 * uPlot.pxRatio] } : {}),
    pxAlign: 0,
    points: { show: false },
  };
}

function axis(style: Style): uPlot.Axis {
  return {
    stroke: () => style().muted,
    // uPlot scales whole pixels only.
    font: `11px ${style().mono}`,
    grid: { stroke: () => style().grid, width: 1 },
    ticks: { show: false },
  };
}

/** Times; the last tick names their unit. */
function timeAxis(style: Style): uPlot.Axis {
  return {
    ...axis(style),
    size: 24,
    gap: 6,
    space: 64,
    values: (_, ticks, _axis, _space, step) => {
      const texts = tickTexts(ticks, step);
      return texts.map((text, i) => (i === texts.length - 1 ? `${text} s` : text));
    },
  };
}

function valueAxis(log: boolean, style: Style): uPlot.Axis {
  const plain = axis(style);
  const decades = (_: uPlot, ticks: number[]): (number | null)[] => ticks.map((tick) => (isDecade(tick) ? tick : null));
  return {
    ...plain,
    ...(log ? { grid: { ...plain.grid, filter: decades } } : {}),
    // As wide in every chart whose numbers are short, so that the times of a column of charts stand in line.
    size: (_, texts) => Math.max(44, 14 + 6.4 * Math.max(0, ...(texts ?? []).map((text) => text?.length ?? 0))),
    gap: 6,
    space: log ? 22 : 32,
    values: (_, ticks, _axis, _space, step) => (log ? logTickTexts(ticks) : tickTexts(ticks, step)),
  };
}

function isDecade(value: number): boolean {
  const power = Math.log10(value);
  return Math.abs(power - Math.round(power)) < 1e-6;
}

/** The line of zero stands out from the grid. */
function drawZero(plot: uPlot, palette: Palette): void {
  const { min, max, distr } = plot.scales.y as uPlot.Scale;
  if (distr === 3 || !(min !== undefined && max !== undefined && min < 0 && max > 0)) return;
  const y = Math.round(plot.valToPos(0, "y", true)) + 0.5;
  const { ctx } = plot;
  ctx.save();
  ctx.strokeStyle = palette.lineStrong;
  ctx.lineWidth = uPlot.pxRatio;
  line(ctx, plot.bbox, y);
  ctx.restore();
}

function drawLimits(plot: uPlot, spec: ChartSpec, palette: Palette): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.lineWidth = uPlot.pxRatio;
  ctx.setLineDash([6 * uPlot.pxRatio, 3 * uPlot.pxRatio]);
  for (const limit of spec.limits) {
    const y = positionOf(plot, spec, limit);
    if (y === null) continue;
    ctx.fillStyle = ctx.strokeStyle = limitColour(limit, palette);
    ctx.globalAlpha = isOutermost(limit, spec.limits) ? 0.07 : 0;
    if (isUpper(limit)) ctx.fillRect(bbox.left, bbox.top, bbox.width, y - bbox.top);
    else ctx.fillRect(bbox.left, y, bbox.width, bbox.top + bbox.height - y);
    ctx.globalAlpha = 0.8;
    line(ctx, bbox, y);
  }
  ctx.restore();
}

function line(ctx: CanvasRenderingContext2D, bbox: uPlot.BBox, y: number): void {
  ctx.beginPath();
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
}

/** Label limits at their lines, and those beyond the scale with an arrow at its end, so that none goes missing. */
function labelLimits(plot: uPlot, spec: ChartSpec, palette: Palette): void {
  const { ctx, bbox } = plot;
  const taken: number[] = [];
  ctx.save();
  ctx.font = `${10 * uPlot.pxRatio}px ${palette.mono}`;
  ctx.lineJoin = "round";
  ctx.lineWidth = 4 * uPlot.pxRatio;
  ctx.strokeStyle = palette.card;
  for (const limit of spec.limits) {
    const y = positionOf(plot, spec, limit);
    const spot = labelSpot(bbox, y, isUpper(limit), taken);
    const value = String(Number((limit.value * spec.factor).toPrecision(4))).replace("-", "−");
    const text = y === null ? `${limit.label} ${value} ${isUpper(limit) ? "↑" : "↓"}` : limit.label;
    ctx.textAlign = spot.right ? "right" : "left";
    ctx.textBaseline = "middle";
    ctx.fillStyle = limitColour(limit, palette);
    ctx.strokeText(text, spot.x, spot.y);
    ctx.fillText(text, spot.x, spot.y);
  }
  ctx.restore();
}

/** Where a label goes: inside of its limit, at the right end; at the left or a line further where that is taken. */
function labelSpot(bbox: uPlot.BBox, limit: number | null, upper: boolean, taken: number[]) {
  const lineHeight = 13 * uPlot.pxRatio;
  const inside = upper ? 1 : -1;
  const edge = upper ? bbox.top : bbox.top + bbox.height;
  let y = (limit ?? edge) + (inside * lineHeight) / 2;
  while (taken.filter((other) => Math.abs(other - y) < lineHeight).length > 1) y += inside * lineHeight;
  const right = !taken.some((other) => Math.abs(other - y) < lineHeight);
  taken.push(y);
  const margin = 6 * uPlot.pxRatio;
  return { x: right ? bbox.left + bbox.width - margin : bbox.left + margin, y, right };
}

/** Height of a limit on the canvas; null where it is beyond the scale. */
function positionOf(plot: uPlot, spec: ChartSpec, limit: Limit): number | null {
  const value = limit.value * spec.factor;
  const { min, max } = plot.scales.y as uPlot.Scale;
  if (min === undefined || max === undefined || !(value >= min && value <= max)) return null;
  return Math.round(plot.valToPos(value, "y", true)) + 0.5;
}

function limitColour(limit: Limit, palette: Palette): string {
  return limit.color === undefined ? palette.bad : (palette.data[limit.color] as string);
}
