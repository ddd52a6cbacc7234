/** How the arm is drawn: every function here paints one thing on a canvas, in CSS pixels. */

import type { Arm, Joint } from "./document";
import { taperedCapsule, type Viewport } from "./geometry";
import { at } from "./interpolate";
import { loadColour, mix, type Palette } from "./palette";

export interface Pen {
  context: CanvasRenderingContext2D;
  view: Viewport;
  palette: Palette;
}

const TURN = 2 * Math.PI;
/** A torque at its limit sweeps three quarters of a turn. */
const FULL_SWEEP = 0.75 * TURN;
/** A joint closer to its limit than this share of its range is marked. */
const CLOSE_TO_LIMIT = 0.06;

/** Positions in pixels of base, joints and tip. */
export function toPixels(view: Viewport, pose: ArrayLike<number>, out: Float64Array): Float64Array {
  for (let i = 0; i < out.length; i += 2) {
    out[i] = view.x(at(pose, i));
    out[i + 1] = view.y(at(pose, i + 1));
  }
  return out;
}

/** Add the outlines of all links to the current path: filled at once, their overlaps do not darken. */
function addLinks(context: CanvasRenderingContext2D, px: Float64Array, radii: readonly number[], grow = 0): void {
  for (let i = 0; i + 1 < radii.length; i++) addLink(context, px, radii, i, grow);
}

function addLink(
  context: CanvasRenderingContext2D,
  px: Float64Array,
  radii: readonly number[],
  i: number,
  grow: number,
): void {
  const [from, to] = [at(radii, i) + grow, at(radii, i + 1) + grow];
  taperedCapsule(context, at(px, 2 * i), at(px, 2 * i + 1), from, at(px, 2 * i + 2), at(px, 2 * i + 3), to);
}

function disc(context: CanvasRenderingContext2D, x: number, y: number, radius: number): void {
  context.beginPath();
  context.arc(x, y, radius, 0, TURN);
}

/** A pose as a shade: where the arm was, or another motion. */
export function drawShade(pen: Pen, px: Float64Array, radii: readonly number[], colour: string, alpha: number): void {
  const { context } = pen;
  context.globalAlpha = alpha;
  context.fillStyle = colour;
  context.beginPath();
  addLinks(context, px, radii);
  context.fill();
  context.globalAlpha = 1;
}

/** A pose as a thin line, for motions that are too many for shades. */
export function drawSkeleton(pen: Pen, px: Float64Array, colour: string, alpha: number): void {
  const { context } = pen;
  context.globalAlpha = alpha;
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.lineJoin = "round";
  context.beginPath();
  context.moveTo(at(px, 0), at(px, 1));
  for (let i = 2; i < px.length; i += 2) context.lineTo(at(px, i), at(px, i + 1));
  context.stroke();
  context.globalAlpha = 1;
}

/** What the arm stands on; it lies on the side that gravity pulls to. */
export function drawMount(pen: Pen, x: number, y: number, radius: number, gravity: readonly [number, number]): void {
  const { context, palette } = pen;
  const fill = mix(palette.muted, palette.card, 0.34);
  context.save();
  context.translate(x, y);
  if (gravity[0] === 0 && gravity[1] === 0) {
    disc(context, 0, 0, 1.75 * radius);
    context.fillStyle = fill;
    context.fill();
  } else {
    context.rotate(Math.atan2(-gravity[1], gravity[0]) - Math.PI / 2);
    const [half, foot, height] = [1.35 * radius, 2.1 * radius, 2.3 * radius];
    context.beginPath();
    context.arc(0, 0, half, Math.PI, 0);
    context.lineTo(foot, height);
    context.lineTo(-foot, height);
    context.closePath();
    context.fillStyle = fill;
    context.fill();
    context.fillStyle = mix(palette.muted, palette.card, 0.6);
    context.fillRect(-1.3 * foot, height, 2.6 * foot, Math.max(1.5, 0.16 * radius));
  }
  context.restore();
}

export interface ArmLook {
  /** Colour of the tip. */
  tip: string;
  /** Mass at the tip [kg]. */
  payload: number;
  /** An arm whose run has ended is paler. */
  faded: boolean;
}

/** The arm itself: tapered links, each with a rim that parts it from what lies below, hollow joints, the tip. */
export function drawArm(pen: Pen, px: Float64Array, radii: readonly number[], look: ArmLook): void {
  const { context, palette } = pen;
  context.globalAlpha = look.faded ? 0.5 : 1;
  for (let i = 0; i + 1 < radii.length; i++) {
    context.beginPath();
    addLink(context, px, radii, i, 1.5);
    context.fillStyle = palette.card;
    context.fill();
    context.beginPath();
    addLink(context, px, radii, i, 0);
    context.fillStyle = i % 2 === 0 ? palette.link : mix(palette.link, palette.muted, 0.5);
    context.fill();
  }
  for (let i = 0; i + 1 < radii.length; i++) drawJoint(pen, at(px, 2 * i), at(px, 2 * i + 1), at(radii, i));
  drawTip(pen, at(px, px.length - 2), at(px, px.length - 1), at(radii, radii.length - 1), look);
  context.globalAlpha = 1;
}

function drawJoint(pen: Pen, x: number, y: number, radius: number): void {
  const { context, palette } = pen;
  disc(context, x, y, radius + 1);
  context.fillStyle = palette.link;
  context.fill();
  disc(context, x, y, 0.56 * radius);
  context.fillStyle = palette.card;
  context.fill();
}

/** A disc whose volume grows with the payload's mass; a ring where the tip carries nothing. */
function drawTip(pen: Pen, x: number, y: number, radius: number, look: ArmLook): void {
  const { context, palette } = pen;
  const carried = look.payload > 0 ? 2.2 * Math.cbrt(Math.min(60, look.payload)) : 0;
  const size = radius * 1.25 + carried * Math.min(1.4, radius / 5);
  disc(context, x, y, size + 1.5);
  context.fillStyle = palette.card;
  context.fill();
  disc(context, x, y, size);
  context.fillStyle = look.tip;
  context.fill();
  if (carried > 0) return;
  disc(context, x, y, 0.5 * size);
  context.fillStyle = palette.card;
  context.fill();
}

/** The range of a joint as a thin arc with ticks at its ends, from where the link before it points. */
export function drawLimits(pen: Pen, x: number, y: number, radius: number, before: number, q: number, joint: Joint): void {
  const { lower, upper } = joint;
  if (lower === null && upper === null) return;
  const { context, palette } = pen;
  const low = lower ?? (upper as number) - 1;
  const high = upper ?? (lower as number) + 1;
  const near = CLOSE_TO_LIMIT * Math.min(TURN, high - low);
  const ends = [lower, upper].filter((end): end is number => end !== null);
  const close = (lower !== null && q < lower + near) || (upper !== null && q > upper - near);
  context.strokeStyle = close ? palette.bad : palette.muted;
  context.globalAlpha = close ? 0.95 : 0.5;
  context.lineWidth = 1;
  context.beginPath();
  context.arc(x, y, radius, -(before + low), -(before + Math.min(high, low + TURN)), true);
  context.stroke();
  context.lineWidth = 1.5;
  context.beginPath();
  for (const end of ends) {
    const [cos, sin] = [Math.cos(before + end), -Math.sin(before + end)];
    context.moveTo(x + (radius - 3.5) * cos, y + (radius - 3.5) * sin);
    context.lineTo(x + (radius + 3.5) * cos, y + (radius + 3.5) * sin);
  }
  context.stroke();
  const here = before + q;
  disc(context, x + radius * Math.cos(here), y - radius * Math.sin(here), 2);
  context.fillStyle = close ? palette.bad : palette.muted;
  context.globalAlpha = 0.9;
  context.fill();
  context.globalAlpha = 1;
}

export interface TorqueMark {
  /** Torque [N·m], and what a full sweep stands for: the limit, or the motion's own peak. */
  torque: number;
  full: number;
  limited: boolean;
  labelled: boolean;
}

/** An arc from the link the way the torque pushes it, with an arrowhead and its share of the limit. */
export function drawTorque(pen: Pen, x: number, y: number, radius: number, angle: number, mark: TorqueMark): void {
  const share = mark.full > 0 ? Math.abs(mark.torque) / mark.full : 0;
  const sweep = Math.sign(mark.torque) * Math.min(1, share) * FULL_SWEEP;
  if (!(Math.abs(sweep) * radius > 2)) return;
  const { context, palette } = pen;
  const colour = mark.limited ? loadColour(palette, share) : palette.ink;
  const head = Math.min(7, 0.55 * Math.abs(sweep) * radius);
  const stem = sweep - Math.sign(sweep) * (head / radius) * 0.8;
  for (const [width, stroke] of [[5, palette.card], [2.5, colour]] as const) {
    context.strokeStyle = stroke;
    context.lineWidth = width;
    context.lineCap = "butt";
    context.beginPath();
    context.arc(x, y, radius, -angle, -(angle + stem), sweep > 0);
    context.stroke();
  }
  context.fillStyle = colour;
  arrowhead(context, x + radius * Math.cos(angle + sweep), y - radius * Math.sin(angle + sweep), headAngle(angle, sweep, head / radius), head);
  if (mark.labelled) labelTorque(pen, x, y, radius, angle, sweep, share, mark, colour);
}

/** Direction of the arrowhead on screen: along the chord of its own arc, so that it sits on the circle. */
function headAngle(angle: number, sweep: number, span: number): number {
  const side = Math.sign(sweep);
  return -(angle + sweep - (side * span) / 2 + (side * Math.PI) / 2);
}

function arrowhead(context: CanvasRenderingContext2D, x: number, y: number, direction: number, size: number): void {
  const [cos, sin] = [Math.cos(direction), Math.sin(direction)];
  const half = 0.62 * size;
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(x - size * cos - half * sin, y - size * sin + half * cos);
  context.lineTo(x - size * cos + half * sin, y - size * sin - half * cos);
  context.closePath();
  context.fill();
}

function labelTorque(
  pen: Pen,
  x: number,
  y: number,
  radius: number,
  angle: number,
  sweep: number,
  share: number,
  mark: TorqueMark,
  colour: string,
): void {
  const { context, palette } = pen;
  // beside the link at least, and fading out where the sign changes, so that the label never jumps
  const middle = angle + Math.sign(sweep) * Math.max(0.75, Math.abs(sweep) / 2);
  const text = mark.limited ? `${Math.round(100 * share)} %` : `${mark.torque.toPrecision(3).replace("-", "−")} N·m`;
  context.font = `500 10.5px ${palette.mono}`;
  context.textBaseline = "middle";
  const [cos, sin] = [Math.cos(middle), -Math.sin(middle)];
  const half = context.measureText(text).width / 2;
  const away = radius + 9 + Math.abs(cos) * half;
  context.globalAlpha = Math.min(1, share / 0.06);
  haloed(pen, text, x + away * cos, y + away * sin, colour, "center");
  context.globalAlpha = 1;
}

/** Text with a rim of the card's colour, readable on whatever lies below. */
export function haloed(pen: Pen, text: string, x: number, y: number, colour: string, align: CanvasTextAlign): void {
  const { context, palette } = pen;
  context.textAlign = align;
  context.lineJoin = "round";
  context.lineWidth = 3.5;
  context.strokeStyle = palette.card;
  context.strokeText(text, x, y);
  context.fillStyle = colour;
  context.fillText(text, x, y);
}

/** Where the tip should be now, tied to where it is. */
export function drawTarget(pen: Pen, x: number, y: number, tipX: number, tipY: number): void {
  const { context, palette } = pen;
  const apart = Math.hypot(x - tipX, y - tipY);
  if (apart > 12) {
    context.strokeStyle = palette.bad;
    context.lineWidth = 1.25;
    context.setLineDash([3, 3]);
    context.beginPath();
    context.moveTo(tipX, tipY);
    context.lineTo(x, y);
    context.stroke();
    context.setLineDash([]);
  }
  for (const [width, colour] of [[4, palette.card], [1.75, palette.good]] as const) {
    context.lineWidth = width;
    context.strokeStyle = colour;
    disc(context, x, y, 9);
    for (let i = 0; i < 4; i++) {
      const [cos, sin] = [Math.cos((i * Math.PI) / 2), Math.sin((i * Math.PI) / 2)];
      context.moveTo(x + 9 * cos, y + 9 * sin);
      context.lineTo(x + 13 * cos, y + 13 * sin);
    }
    context.stroke();
  }
}

/** Torques and limits of every joint of a pose. `px` are its pixels, `q` its angles, `tau` its torques if known. */
export function drawJointMarks(
  pen: Pen,
  arm: Arm,
  px: Float64Array,
  q: Float64Array,
  tau: Float64Array | null,
  peaks: readonly number[],
  radii: readonly number[],
): void {
  const shortest = Math.min(...arm.lengths) * pen.view.scale;
  const gap = Math.min(11, Math.max(4, 0.12 * shortest));
  let angle = 0;
  arm.joints.forEach((joint, i) => {
    const before = angle;
    angle += at(q, i);
    const [x, y, radius] = [at(px, 2 * i), at(px, 2 * i + 1), at(radii, i)];
    drawLimits(pen, x, y, radius + 1.75 * gap, before, at(q, i), joint);
    if (!tau) return;
    const full = joint.maxTorque ?? at(peaks, i);
    const torque = at(tau, i);
    const labelled = shortest > 44 || Math.abs(torque) > 0.7 * full;
    drawTorque(pen, x, y, radius + gap, angle, { torque, full, limited: joint.maxTorque !== null, labelled });
  });
}
