/** How an x–y picture is drawn: lines of one look as one path, arrows as one, points over all. */

import { tickTexts } from "./chart-series";
import type { Loaded, PlanePoint, PlaneSpec } from "./document";
import { angleStep, multiples, niceStep } from "./geometry";
import { at } from "./interpolate";
import { mix, type Palette } from "./palette";
import type { AreaPicture } from "./plane-areas";
import { arrowsOn, type PlaneLine, type PlaneView } from "./plane-view";

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

interface LineStyle {
  width: number;
  dash?: readonly number[];
  colour(palette: Palette, bundle: Bundle): string;
}

const ownColour = (palette: Palette, { color }: Bundle): string => palette.data[color] as string;

/** How lines are drawn, those below first. */
const STYLES: Record<PlaneLine["role"], LineStyle> = {
  nullcline: { width: 1.1, dash: [1, 2.5], colour: (palette) => palette.muted },
  member: { width: 1.1, colour: ownColour },
  outgoing: { width: 1.2, dash: [5, 3], colour: (palette) => palette.muted },
  incoming: { width: 1.7, colour: (palette) => palette.ink },
  running: { width: 4, colour: (palette, bundle) => mix(ownColour(palette, bundle), palette.card, 0.6) },
  orbit: { width: 1.9, colour: ownColour },
  sticking: { width: 5.5, colour: ownColour },
};
const ORDER = Object.keys(STYLES) as PlaneLine["role"][];
/** Pixels from arrow to arrow of the field at least, and the share of them that an arrow has. */
const FIELD_SPACE = 21;
const FIELD_SHARE = 0.62;
const LONGEST_ARROW = 16;

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
  loaded: Loaded;
  areas: AreaPicture | null;
  bundles: readonly Bundle[];
  view: PlaneView;
  palette: Palette;
}

export function drawPlane(context: CanvasRenderingContext2D, scene: Scene): void {
  const { view, palette } = scene;
  context.fillStyle = palette.card;
  context.fillRect(0, 0, view.width, view.height);
  const { range } = scene.spec;
  context.save();
  if (range) {
    const [left, top] = [view.px(range.x[0]), view.py(range.y[1])];
    const frame = [left, top, view.px(range.x[1]) - left, view.py(range.y[0]) - top] as const;
    context.strokeStyle = palette.lineStrong;
    context.lineWidth = 2;
    context.strokeRect(...frame);
    context.beginPath();
    context.rect(...frame);
    context.clip();
  }
  scene.areas?.draw(context, view);
  drawGrid(context, scene);
  drawField(context, scene);
  for (const bundle of scene.bundles) drawBundle(context, bundle, scene);
  drawArrows(context, scene);
  context.restore();
  drawTicks(context, scene);
  drawPoints(context, scene);
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
  const least = Math.min(90, Math.max(44, length / 5)) * perPixel;
  const step = spec[along].unit === "°" ? angleStep(least) : niceStep(least);
  const [from, to] = spec.range?.[along] ?? [-Infinity, Infinity];
  const steps = multiples(Math.max(near, from) * spec[along].factor, Math.min(far, to) * spec[along].factor, step);
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
    // Over areas the grid is no more than a hint.
    context.globalAlpha = scene.areas && !zero ? 0.5 : 1;
    context.stroke();
  }
  context.globalAlpha = 1;
}

/** Arrows of one length in pixels: where a state goes, as it looks in the picture. */
function drawField(context: CanvasRenderingContext2D, { spec, loaded, view, palette }: Scene): void {
  if (!spec.field) return;
  const { columns } = spec.field;
  const [x, y, dx, dy] = (["x", "y", "dx", "dy"] as const).map((name) => loaded.column(spec.field?.[name] as number));
  if (!x || !y || !dx || !dy) return;
  const [perX, perY] = view.perPixel();
  const space = [(at(x, 1) - at(x, 0)) / perX, (at(y, columns) - at(y, 0)) / perY] as const;
  const [everyX, everyY] = [Math.ceil(FIELD_SPACE / space[0]), Math.ceil(FIELD_SPACE / space[1])];
  const length = Math.min(LONGEST_ARROW, FIELD_SHARE * Math.min(space[0] * everyX, space[1] * everyY));
  const arrows = new Path2D();
  for (let i = 0; i < x.length; i++) {
    // Rows and columns that are left out are so on both sides of the middle.
    const [column, row] = [(i % columns) - (columns - 1) / 2, Math.floor(i / columns) - (x.length / columns - 1) / 2];
    if (Math.floor(Math.abs(column)) % everyX || Math.floor(Math.abs(row)) % everyY) continue;
    const angle = Math.atan2(-at(dy, i) / perY, at(dx, i) / perX);
    if (at(dx, i) || at(dy, i)) addArrow(arrows, view.px(at(x, i)), view.py(at(y, i)), angle, length);
  }
  context.save();
  context.globalAlpha = 0.65;
  context.strokeStyle = palette.muted;
  context.lineWidth = 1.1;
  context.stroke(arrows);
  context.restore();
}

/** An arrow about its middle. */
function addArrow(path: Path2D, x: number, y: number, angle: number, length: number): void {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const [endX, endY] = [x + (cos * length) / 2, y + (sin * length) / 2];
  path.moveTo(x - (cos * length) / 2, y - (sin * length) / 2);
  path.lineTo(endX, endY);
  for (const turn of [2.6, -2.6]) {
    path.moveTo(endX + 4 * Math.cos(angle + turn), endY + 4 * Math.sin(angle + turn));
    path.lineTo(endX, endY);
  }
}

function drawBundle(context: CanvasRenderingContext2D, bundle: Bundle, { view, palette }: Scene): void {
  const path = new Path2D();
  path.addPath(bundle.path, new DOMMatrix(view.matrix()));
  const { role, lines } = bundle;
  const { width, dash = [], colour } = STYLES[role];
  context.save();
  context.lineJoin = "round";
  if (role === "sticking") {
    context.strokeStyle = palette.ink;
    context.lineWidth = width + 2.5;
    context.stroke(path);
  }
  context.strokeStyle = colour(palette, bundle);
  context.lineWidth = width;
  if (role === "member") context.globalAlpha = Math.min(0.8, Math.max(0.12, 2 / lines.length));
  context.setLineDash([...dash]);
  context.stroke(path);
  context.restore();
}

function drawArrows(context: CanvasRenderingContext2D, { bundles, view, palette }: Scene): void {
  const lines = bundles.filter((bundle) => bundle.role === "orbit").flatMap((bundle) => bundle.lines);
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

/** Numbers and names of the axes along the left and lower edge. */
function drawTicks(context: CanvasRenderingContext2D, scene: Scene): void {
  const { view, spec, palette } = scene;
  const name = (axis: { label: string; unit: string }): string => (axis.unit ? `${axis.label} [${axis.unit}]` : axis.label);
  context.font = `500 11px ${palette.sans}`;
  write(context, palette, palette.ink, name(spec.y), 8, 12, "left");
  write(context, palette, palette.ink, name(spec.x), view.width - 8, view.height - 26, "right");
  context.font = `10.5px ${palette.mono}`;
  for (const tick of ticksOf(scene, "x")) {
    if (tick.at > 24 && tick.at < view.width - 16) write(context, palette, palette.muted, tick.text, tick.at, view.height - 10, "center");
  }
  for (const tick of ticksOf(scene, "y")) {
    if (tick.at > 26 && tick.at < view.height - 24) write(context, palette, palette.muted, tick.text, 8, tick.at, "left");
  }
}

function write(context: CanvasRenderingContext2D, palette: Palette, colour: string, text: string, x: number, y: number, align: CanvasTextAlign): void {
  context.textAlign = align;
  context.textBaseline = "middle";
  context.lineJoin = "round";
  context.lineWidth = 4;
  context.strokeStyle = palette.card;
  context.strokeText(text, x, y);
  context.fillStyle = colour;
  context.fillText(text, x, y);
}

function drawPoints(context: CanvasRenderingContext2D, { spec, view, palette }: Scene): void {
  const points = spec.points.filter((point) => isWithin(spec.range, point));
  if (points.length >= CLOUD) return drawCloud(context, points, view, palette);
  for (const point of points) drawPoint(context, point, view.px(point.x), view.py(point.y), palette);
}

function drawCloud(context: CanvasRenderingContext2D, points: readonly PlanePoint[], view: PlaneView, palette: Palette): void {
  context.save();
  context.globalAlpha = 0.55;
  for (const role of new Set(points.map((point) => point.role))) {
    context.beginPath();
    const cloud = points.filter((point) => point.role === role);
    for (const point of cloud) context.rect(view.px(point.x) - 1.5, view.py(point.y) - 1.5, 3, 3);
    context.fillStyle = pointColour(cloud[0] as PlanePoint, palette);
    context.fill();
  }
  context.restore();
}

function isWithin(range: PlaneSpec["range"], { x, y }: PlanePoint): boolean {
  return !range || (x >= range.x[0] && x <= range.x[1] && y >= range.y[0] && y <= range.y[1]);
}

function pointColour({ role, color }: PlanePoint, palette: Palette): string {
  if (color !== undefined) return palette.data[color] as string;
  return role === "tip" ? palette.accent : palette.ink;
}

/** Stable: a disc; saddle: a diamond; unstable: a ring; start: a disc of its curve's colour; where it stops, and a tip: a square. */
function drawPoint(context: CanvasRenderingContext2D, point: PlanePoint, x: number, y: number, palette: Palette): void {
  const colour = pointColour(point, palette);
  const hollow = point.role === "saddle" || point.role === "unstable";
  context.beginPath();
  if (point.role === "saddle") {
    context.moveTo(x - 6, y);
    for (const [dx, dy] of [[0, -6], [6, 0], [0, 6]] as const) context.lineTo(x + dx, y + dy);
    context.closePath();
  } else if (point.role === "tip" || point.role === "stop") context.rect(x - 3.5, y - 3.5, 7, 7);
  else context.arc(x, y, 4.5, 0, 2 * Math.PI);
  context.fillStyle = hollow ? palette.card : colour;
  context.strokeStyle = hollow ? colour : palette.card;
  context.lineWidth = 1.5;
  context.fill();
  context.stroke();
}
