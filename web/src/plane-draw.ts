/** How an x–y picture is drawn: lines of one look as one path, arrows as one, points over all. */

import { tickTexts } from "./chart-series";
import type { PlanePoint, PlaneSpec } from "./document";
import { multiples, niceStep } from "./geometry";
import { at } from "./interpolate";
import type { Palette } from "./palette";
import { arrowsOn, type Box, type PlaneLine, type PlaneView, placeLabel } from "./plane-view";

/** Lines of one role and colour, in the plane's own coordinates. */
export interface Bundle {
  role: PlaneLine["role"];
  color: number;
  lines: PlaneLine[];
  path: Path2D;
}

/** Points of so many and more are a cloud: small, pale, without labels. */
const CLOUD = 40;
/** Members are drawn in so many layers, so that where many pass it is darker. */
const LAYERS = 16;
const ORDER: readonly PlaneLine["role"][] = ["flow", "member", "orbit", "separatrix"];

export function bundlesOf(lines: readonly PlaneLine[]): Bundle[] {
  const bundles = new Map<string, Bundle>();
  for (const [i, line] of lines.entries()) {
    const key = `${line.role} ${line.color} ${line.role === "member" ? i % LAYERS : 0}`;
    let bundle = bundles.get(key);
    if (!bundle) {
      bundle = { role: line.role, color: line.color, lines: [], path: new Path2D() };
      bundles.set(key, bundle);
    }
    bundle.lines.push(line);
    trace(bundle.path, line);
  }
  return [...bundles.values()].sort((a, b) => ORDER.indexOf(a.role) - ORDER.indexOf(b.role));
}

/** NaN is a gap: the line begins anew after it. */
function trace(path: Path2D, { x, y }: PlaneLine): void {
  let pen = false;
  for (let i = 0; i < x.length; i++) {
    const [px, py] = [at(x, i), at(y, i)];
    if (!Number.isFinite(px) || !Number.isFinite(py)) pen = false;
    else if (pen) path.lineTo(px, py);
    else {
      path.moveTo(px, py);
      pen = true;
    }
  }
}

export interface Scene {
  spec: PlaneSpec;
  bundles: readonly Bundle[];
  view: PlaneView;
  palette: Palette;
}

export function drawPlane(context: CanvasRenderingContext2D, scene: Scene): void {
  const { view, palette } = scene;
  context.fillStyle = palette.card;
  context.fillRect(0, 0, view.width, view.height);
  drawGrid(context, scene);
  for (const bundle of scene.bundles) drawBundle(context, bundle, scene);
  drawArrows(context, scene);
  const taken = drawTicks(context, scene);
  drawPoints(context, scene, taken);
}

interface Tick {
  at: number;
  text: string;
  zero: boolean;
}

function ticksOf(scene: Scene, along: "x" | "y"): Tick[] {
  const { view, spec } = scene;
  const perPixel = view.perPixel()[along === "x" ? 0 : 1] * spec[along].factor;
  const length = along === "x" ? view.width : view.height;
  const [near, far] = along === "x" ? [view.under(0, 0)[0], view.under(length, 0)[0]] : [view.under(0, length)[1], view.under(0, 0)[1]];
  const step = niceStep(Math.min(90, Math.max(44, length / 5)) * perPixel);
  const steps = multiples(near * spec[along].factor, far * spec[along].factor, step);
  const texts = tickTexts(steps.map((n) => n * step), step);
  return steps.map((n, i) => {
    const value = (n * step) / spec[along].factor;
    return { at: along === "x" ? view.px(value) : view.py(value), text: texts[i] as string, zero: n === 0 };
  });
}

function drawGrid(context: CanvasRenderingContext2D, scene: Scene): void {
  const { view, palette } = scene;
  context.lineWidth = 1;
  for (const zero of [false, true]) {
    context.beginPath();
    for (const tick of ticksOf(scene, "x").filter((one) => one.zero === zero)) {
      context.moveTo(Math.round(tick.at) + 0.5, 0);
      context.lineTo(Math.round(tick.at) + 0.5, view.height);
    }
    for (const tick of ticksOf(scene, "y").filter((one) => one.zero === zero)) {
      context.moveTo(0, Math.round(tick.at) + 0.5);
      context.lineTo(view.width, Math.round(tick.at) + 0.5);
    }
    context.strokeStyle = zero ? palette.lineStrong : palette.grid;
    context.stroke();
  }
}

function drawBundle(context: CanvasRenderingContext2D, bundle: Bundle, { view, palette }: Scene): void {
  const path = new Path2D();
  path.addPath(bundle.path, new DOMMatrix(view.matrix()));
  const { role, lines } = bundle;
  context.save();
  context.lineJoin = "round";
  context.strokeStyle = role === "separatrix" ? palette.ink : (palette.data[bundle.color] as string);
  context.lineWidth = { flow: 1, member: 1.1, orbit: 1.9, separatrix: 1.6 }[role];
  context.globalAlpha = { flow: 0.5, member: Math.min(0.8, Math.max(0.12, 2 / lines.length)), orbit: 1, separatrix: 0.9 }[role];
  if (role === "separatrix") context.setLineDash([7, 4]);
  context.stroke(path);
  context.restore();
}

function drawArrows(context: CanvasRenderingContext2D, { bundles, view, palette }: Scene): void {
  const lines = bundles.filter((bundle) => bundle.role === "flow" || bundle.role === "orbit").flatMap((bundle) => bundle.lines);
  context.beginPath();
  for (const { x, y, angle } of arrowsOn(lines, view)) {
    for (const turn of [0, 2.5, -2.5]) {
      const [px, py] = [x + 5.5 * Math.cos(angle + turn), y + 5.5 * Math.sin(angle + turn)];
      if (turn === 0) context.moveTo(px, py);
      else context.lineTo(px, py);
    }
    context.closePath();
  }
  context.fillStyle = palette.muted;
  context.fill();
}

/** Numbers and names of the axes along the left and lower edge; returns the boxes that they take. */
function drawTicks(context: CanvasRenderingContext2D, scene: Scene): Box[] {
  const { view, spec, palette } = scene;
  const taken: Box[] = [];
  const name = (axis: { label: string; unit: string }): string => (axis.unit ? `${axis.label} [${axis.unit}]` : axis.label);
  context.font = `500 11px ${palette.sans}`;
  write(context, palette, palette.ink, name(spec.y), 8, 12, "left", taken);
  write(context, palette, palette.ink, name(spec.x), view.width - 8, view.height - 26, "right", taken);
  context.font = `10.5px ${palette.mono}`;
  for (const tick of ticksOf(scene, "x")) {
    if (tick.at > 40 && tick.at < view.width - 16) write(context, palette, palette.muted, tick.text, tick.at, view.height - 10, "center", taken);
  }
  for (const tick of ticksOf(scene, "y")) {
    if (tick.at > 26 && tick.at < view.height - 24) write(context, palette, palette.muted, tick.text, 8, tick.at, "left", taken);
  }
  return taken;
}

function write(context: CanvasRenderingContext2D, palette: Palette, colour: string, text: string, x: number, y: number, align: CanvasTextAlign, taken: Box[]): void {
  const width = context.measureText(text).width;
  context.textAlign = align;
  context.textBaseline = "middle";
  context.lineJoin = "round";
  context.lineWidth = 4;
  context.strokeStyle = palette.card;
  context.strokeText(text, x, y);
  context.fillStyle = colour;
  context.fillText(text, x, y);
  const left = align === "left" ? x : align === "right" ? x - width : x - width / 2;
  taken.push({ x: left, y: y - 7, width, height: 14 });
}

function drawPoints(context: CanvasRenderingContext2D, { spec, view, palette }: Scene, taken: Box[]): void {
  const cloud = spec.points.length >= CLOUD;
  if (cloud) return drawCloud(context, spec.points, view, palette);
  for (const point of spec.points) drawPoint(context, point.role, view.px(point.x), view.py(point.y), palette);
  for (const point of spec.points) taken.push({ x: view.px(point.x) - 6, y: view.py(point.y) - 6, width: 12, height: 12 });
  context.font = `500 11.5px ${palette.sans}`;
  for (const point of spec.points) labelPoint(context, point, view, palette, taken);
}

function drawCloud(context: CanvasRenderingContext2D, points: readonly PlanePoint[], view: PlaneView, palette: Palette): void {
  context.save();
  context.globalAlpha = 0.55;
  for (const role of new Set(points.map((point) => point.role))) {
    context.beginPath();
    for (const point of points) {
      if (point.role === role) context.rect(view.px(point.x) - 1.5, view.py(point.y) - 1.5, 3, 3);
    }
    context.fillStyle = pointColour(role, palette);
    context.fill();
  }
  context.restore();
}

function pointColour(role: PlanePoint["role"], palette: Palette): string {
  return { stable: palette.good, saddle: palette.bad, start: palette.ink, tip: palette.accent }[role];
}

function labelPoint(context: CanvasRenderingContext2D, point: PlanePoint, view: PlaneView, palette: Palette, taken: Box[]): void {
  if (!point.label) return;
  const width = context.measureText(point.label).width;
  const box = placeLabel(view.px(point.x), view.py(point.y), width, 14, taken, view);
  if (box) write(context, palette, palette.ink, point.label, box.x, box.y + 7, "left", taken);
}

/** Stable: a disc; saddle: a cross; start: a ring; tip: a square. */
function drawPoint(context: CanvasRenderingContext2D, role: PlanePoint["role"], x: number, y: number, palette: Palette): void {
  const colour = pointColour(role, palette);
  context.beginPath();
  if (role === "saddle") {
    context.moveTo(x - 4, y - 4);
    context.lineTo(x + 4, y + 4);
    context.moveTo(x - 4, y + 4);
    context.lineTo(x + 4, y - 4);
  } else if (role === "tip") context.rect(x - 3.5, y - 3.5, 7, 7);
  else context.arc(x, y, 4.5, 0, 2 * Math.PI);
  const lined = role === "saddle" || role === "start";
  context.strokeStyle = lined ? colour : palette.card;
  context.fillStyle = lined ? palette.card : colour;
  context.lineWidth = role === "saddle" ? 2.2 : 1.5;
  if (role !== "saddle") context.fill();
  context.stroke();
}
