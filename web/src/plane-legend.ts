/** The legend of an x–y picture: areas, curves and points by their names, in the order of the document. */

import type { PlaneCurve, PlanePoint, PlaneSpec } from "./document";
import { el } from "./dom";
import { styledColour } from "./plane-areas";

const POINTS: Record<PlanePoint["role"], string> = {
  stable: "stable equilibrium",
  saddle: "saddle",
  unstable: "unstable equilibrium",
  start: "start",
  stop: "where it stops",
  tip: "tip",
};

export function pointName(point: PlanePoint): string {
  return POINTS[point.role];
}

export interface Entry {
  /** Its sign: an area, a curve or a point with its role. */
  kind: string;
  color: string | null;
  text: string;
}

/** Every name once. */
export function entriesOf(spec: PlaneSpec): Entry[] {
  const areas = (spec.areas?.tints ?? []).map((tint): Entry => ({ kind: "area", color: styledColour(tint), text: tint.label }));
  const curves = spec.curves.map((curve): Entry => ({ kind: curve.role, color: `var(--data-${curve.color})`, text: curveText(curve) }));
  const points = spec.points.map((point): Entry => ({ kind: point.role, color: null, text: point.label ?? "" }));
  const seen = new Set<string>();
  return [...areas, ...curves, ...points].filter(({ kind, text }) => {
    const known = text === "" || seen.has(`${kind} ${text}`);
    seen.add(`${kind} ${text}`);
    return !known && kind !== "tip" && kind !== "member";
  });
}

function curveText({ label = "", about = "" }: PlaneCurve): string {
  return about ? `${label} ${about}` : label;
}

export function legendOf(spec: PlaneSpec): HTMLElement | null {
  const entries = entriesOf(spec);
  if (entries.length === 0) return null;
  return el("ul", { class: "plane-legend" }, ...entries.map(entryElement));
}

function entryElement({ kind, color, text }: Entry): HTMLElement {
  const sign = el("span", { class: `plane-sign plane-sign-${kind}`, "aria-hidden": "true" });
  if (color) sign.style.setProperty("--sign", color);
  return el("li", {}, sign, el("span", { text }));
}
