/**
 * What a pointer does to the arm.
 *
 * The tip: an arm that rests is posed by inverse kinematics, a controlled one gets another set-point, one that moves by itself is
 * pulled, and flies on when it is let go. A link: at rest its joint turns; in motion it is pulled. A tap hits the arm that moves. Beside the arm the picture is
 * moved, two fingers zoom, and with the pen a path is drawn.
 */

import { at } from "../interpolate";
import type { ArmCanvas } from "./arm-canvas";
import { reachFor } from "./inverse";
import type { Vector } from "./models";
import { reachOf, totalMass, withinStops } from "./numbers";
import type { Session } from "./session";
import { smoothStroke, type Point } from "./trajectory";

/** How near [px] a pointer must come to the tip, and to a link beyond its own breadth. */
const TIP_NEAR = { mouse: 16, touch: 30 };
const LINK_NEAR = { mouse: 6, touch: 16 };
/** A press that is shorter [ms] and moves less [px] than this is a tap. */
const TAP_TIME = 250;
const TAP_MOVE = 6;
/** Speed that a tap gives the whole arm [m/s], times the root of its reach. */
const POKE_SPEED = 1.2;
const WHEEL_UNITS = [1, 16, 400];

/** The tip is link n; −1 is nothing. */
interface Hit {
  part: number;
  /** On a link: where along it and to its left [m]. */
  along: number;
  aside: number;
}

type Grip =
  | { kind: "tip"; orientation: number }
  | { kind: "joint"; link: number; angle: number; start: number }
  | { kind: "pull"; link: number; along: number; aside: number }
  | { kind: "draw"; points: Point[] }
  | { kind: "pan" };

interface Press {
  grip: Grip;
  hit: Hit;
  x: number;
  y: number;
  at: number;
  moved: boolean;
}

export interface GestureEvents {
  /** Something is to be drawn again. */
  changed(): void;
  /** A sentence for whoever cannot see it. */
  say(text: string): void;
}

export function bindGestures(stage: ArmCanvas, session: Session, events: GestureEvents): () => void {
  const end = new AbortController();
  const { signal } = end;
  const { canvas } = stage;
  const pointers = new Map<number, Point>();
  let press: Press | null = null;

  const place = (event: MouseEvent): Point => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const down = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    const spot = place(event);
    pointers.set(event.pointerId, spot);
    // An event that a test or an assistive tool makes has no pointer to capture.
    try {
      canvas.setPointerCapture(event.pointerId);
    } catch {
      // It then ends where it leaves the canvas.
    }
    if (pointers.size === 1) {
      const hit = hitTest(stage, session, spot, event.pointerType === "mouse" ? "mouse" : "touch");
      press = { grip: gripOf(session, hit, toPlane(stage, spot)), hit, ...spot, at: event.timeStamp, moved: false };
      stage.handling.held = press.grip.kind !== "pan";
      hold(press, spot);
    } else {
      release(stage, session);
      press = null;
    }
    events.changed();
  };
  const move = (event: PointerEvent): void => {
    const spot = place(event);
    const before = pointers.get(event.pointerId);
    if (!before) {
      stage.handling.hovered = event.pointerType === "mouse" ? hitTest(stage, session, spot, "mouse").part : -1;
      canvas.style.cursor = session.tool === "draw" ? "crosshair" : stage.handling.hovered >= 0 ? "grab" : "default";
      events.changed();
      return;
    }
    pointers.set(event.pointerId, spot);
    const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
    if (other) pinch(stage, before, spot, other);
    else if (press) {
      press.moved ||= Math.hypot(spot.x - press.x, spot.y - press.y) > TAP_MOVE;
      if (press.grip.kind === "pan") stage.view.panBy(spot.x - before.x, spot.y - before.y);
      if (press.grip.kind === "pan") stage.viewChanged();
      else hold(press, spot);
    }
    events.changed();
  };
  const hold = (held: Press, spot: Point): void => {
    if (held.grip.kind !== "pan" && held.grip.kind !== "draw" && !held.moved && held.grip.kind !== "pull") return;
    handle(stage, session, held.grip, toPlane(stage, spot));
  };
  const up = (event: PointerEvent): void => {
    pointers.delete(event.pointerId);
    if (press && pointers.size === 0) {
      const tapped = !press.moved && event.timeStamp - press.at < TAP_TIME && event.type === "pointerup";
      if (press.grip.kind === "draw") finishStroke(session, press.grip.points, events);
      else if (tapped && press.hit.part >= 0 && session.playing) poke(stage, session, press);
      press = null;
    }
    release(stage, session);
    events.changed();
  };
  const wheel = (event: WheelEvent): void => {
    event.preventDefault();
    const { x, y } = place(event);
    const amount = event.deltaY * (WHEEL_UNITS[event.deltaMode] ?? 1);
    stage.view.zoomAt(Math.exp(-amount * (event.ctrlKey ? 0.01 : 0.0016)), x, y);
    stage.viewChanged();
    events.changed();
  };
  const key = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || !nudge(session, event.key, event.shiftKey)) return;
    event.preventDefault();
    events.changed();
  };

  canvas.addEventListener("pointerdown", down, { signal });
  canvas.addEventListener("pointermove", move, { signal });
  canvas.addEventListener("pointerup", up, { signal });
  canvas.addEventListener("pointercancel", up, { signal });
  canvas.addEventListener("wheel", wheel, { passive: false, signal });
  canvas.addEventListener("keydown", key, { signal });
  return () => end.abort();
}

function toPlane(stage: ArmCanvas, spot: Point): Point {
  const seen = stage.view.seen();
  return { x: seen.left + spot.x / stage.view.scale, y: seen.top - spot.y / stage.view.scale };
}

/** What of the arm lies under a pixel: the tip first, then the outermost link. */
function hitTest(stage: ArmCanvas, session: Session, spot: Point, kind: "mouse" | "touch"): Hit {
  return partAt(stage.pixels(session.simulation.q), stage.radii(), stage.view.scale, spot, kind);
}

/** What of an arm with these pixels and radii lies under a pixel; `scale` are pixels a metre. */
export function partAt(px: Float64Array, radii: readonly number[], scale: number, spot: Point, kind: "mouse" | "touch"): Hit {
  const n = px.length / 2 - 1;
  const none: Hit = { part: -1, along: 0, aside: 0 };
  if (Math.hypot(spot.x - at(px, 2 * n), spot.y - at(px, 2 * n + 1)) < TIP_NEAR[kind] + at(radii, n)) return { ...none, part: n };
  for (let link = n - 1; link >= 0; link--) {
    const [x, y] = [at(px, 2 * link), at(px, 2 * link + 1)];
    const [dx, dy] = [at(px, 2 * link + 2) - x, at(px, 2 * link + 3) - y];
    const length = Math.hypot(dx, dy) || 1;
    const along = ((spot.x - x) * dx + (spot.y - y) * dy) / length;
    // Pixels count downwards, metres upwards.
    const aside = ((spot.x - x) * dy - (spot.y - y) * dx) / length;
    const broad = at(radii, link) + LINK_NEAR[kind];
    if (along < -broad || along > length + broad || Math.abs(aside) > broad) continue;
    return { part: link, along: along / scale, aside: aside / scale };
  }
  return none;
}

function gripOf(session: Session, hit: Hit, place: Point): Grip {
  const { simulation, arm } = session;
  const n = arm.links.length;
  if (session.tool === "draw") return { kind: "draw", points: [place] };
  if (hit.part < 0) return { kind: "pan" };
  const isTip = hit.part === n;
  if (isTip && (!session.playing || session.controlled)) return { kind: "tip", orientation: sum(session.controlled ? simulation.setPoint : simulation.q) };
  if (!session.playing) return { kind: "joint", link: hit.part, angle: angleAbout(session, hit.part, place), start: at(simulation.q, hit.part) };
  if (isTip) return { kind: "pull", link: n - 1, along: arm.links[n - 1]?.length ?? 0, aside: 0 };
  return { kind: "pull", link: hit.part, along: hit.along, aside: hit.aside };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Direction of a point as seen from a joint. */
function angleAbout({ mechanism, simulation }: Session, joint: number, place: Point): number {
  const centre = mechanism.model.joints(mechanism.letters, simulation.q)[joint] as Vector;
  return Math.atan2(place.y - at(centre, 1), place.x - at(centre, 0));
}

function handle(stage: ArmCanvas, session: Session, grip: Grip, place: Point): void {
  const { simulation } = session;
  const { handling } = stage;
  if (grip.kind === "draw") {
    grip.points.push(place);
    handling.stroke = grip.points;
  } else if (grip.kind === "tip") {
    const from = session.controlled ? simulation.setPoint : simulation.q;
    const posture = reachFor(session.mechanism, from, place.x, place.y, session.orientationHeld ? grip.orientation : null);
    const q = withinStops(session.arm, posture.q);
    handling.ghosts = posture.others;
    handling.shortfall = session.arm.links.length > 1 ? posture.shortfall : 0;
    if (session.controlled) session.setSetPoint(q);
    else session.setPose(q);
  } else if (grip.kind === "joint") {
    const turned = angleAbout(session, grip.link, place) - grip.angle;
    const angle = grip.start + turned - 2 * Math.PI * Math.round((grip.start + turned - at(simulation.q, grip.link)) / (2 * Math.PI));
    session.setPose(withinStops(session.arm, simulation.q.map((old, i) => (i === grip.link ? angle : old))));
  } else if (grip.kind === "pull") {
    simulation.pull = { link: grip.link, along: grip.along, aside: grip.aside, ...place };
    handling.pull = { from: pulledPoint(session, grip), to: place };
  }
}

/** Where the point is that a pointer pulls at. */
export function pulledPoint({ mechanism, simulation }: Session, grip: { link: number; along: number; aside: number }): Point {
  const places = mechanism.model.joints(mechanism.letters, simulation.q);
  const angle = sum(simulation.q.slice(0, grip.link + 1));
  const [x, y] = places[grip.link] as [number, number];
  return {
    x: x + grip.along * Math.cos(angle) - grip.aside * Math.sin(angle),
    y: y + grip.along * Math.sin(angle) + grip.aside * Math.cos(angle),
  };
}

function release(stage: ArmCanvas, session: Session): void {
  if (session.simulation.pull) session.simulation.disturbed();
  session.simulation.pull = null;
  Object.assign(stage.handling, { ghosts: [], pull: null, stroke: [], held: false, shortfall: 0 });
}

/** Hit the arm at right angles to its link, away from the side that was tapped. */
function poke(stage: ArmCanvas, session: Session, press: Press): void {
  const { simulation, arm } = session;
  const link = Math.min(press.hit.part, arm.links.length - 1);
  const angle = sum(simulation.q.slice(0, link + 1));
  const way = press.hit.aside > 0 ? -1 : 1;
  const size = totalMass(arm) * POKE_SPEED * Math.sqrt(reachOf(arm)) * way;
  const { x, y } = toPlane(stage, press);
  simulation.poke(link, x, y, -size * Math.sin(angle), size * Math.cos(angle));
}

function finishStroke(session: Session, points: readonly Point[], events: GestureEvents): void {
  const reach = reachOf(session.arm);
  const smooth = smoothStroke(points, 0.05 * reach);
  if (!smooth) {
    events.say("The stroke is too short to follow: draw a longer one.");
    session.setTool("draw");
    return;
  }
  session.setPath({ kind: "stroke", points: smooth, speed: Number((0.5 * reach).toPrecision(2)) });
  const { trajectory } = session;
  if (trajectory && trajectory.unreachable > 0) {
    events.say(`${Math.round(100 * trajectory.unreachable)} % of the path is out of reach; the arm follows the nearest points.`);
  }
  session.play();
}

/** One finger moved while another rests: zoom about their middle, and follow it. */
function pinch(stage: ArmCanvas, before: Point, now: Point, other: Point): void {
  const apart = Math.hypot(now.x - other.x, now.y - other.y);
  const were = Math.hypot(before.x - other.x, before.y - other.y);
  stage.view.panBy((now.x - before.x) / 2, (now.y - before.y) / 2);
  if (apart > 10 && were > 10) stage.view.zoomAt(apart / were, (now.x + other.x) / 2, (now.y + other.y) / 2);
  stage.viewChanged();
}

const NUDGES: Readonly<Record<string, readonly [number, number]>> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/** Move the tip, or the set-point, by a hundredth of the reach. */
function nudge(session: Session, key: string, far: boolean): boolean {
  const way = NUDGES[key];
  if (!way) return false;
  const { mechanism, simulation } = session;
  const from = session.controlled ? simulation.setPoint : simulation.q;
  const [x, y] = mechanism.model.tip(mechanism.letters, from) as [number, number];
  const by = reachOf(session.arm) * (far ? 0.05 : 0.01);
  const { q: wanted } = reachFor(mechanism, from, x + by * way[0], y + by * way[1], session.orientationHeld ? sum(from) : null);
  const q = withinStops(session.arm, wanted);
  if (session.controlled) session.setSetPoint(q);
  else if (!session.playing) session.setPose(q);
  return true;
}
