/** Colours and fonts for canvases, which do not follow CSS by themselves: read again after a change of theme. */

import type { MotionRole, ReportDocument } from "./document";

export interface Palette {
  card: string;
  line: string;
  lineStrong: string;
  ink: string;
  muted: string;
  accent: string;
  good: string;
  warn: string;
  bad: string;
  link: string;
  reach: string;
  grid: string;
  /** How much stronger areas are tinted than on a light page. */
  tint: number;
  data: readonly string[];
  mono: string;
  sans: string;
  /** Torque from nothing to its limit, in equal steps. */
  load: readonly string[];
}

/** What a page without the viewer's tokens gets. */
const PLAIN: Record<string, string> = {
  card: "#ffffff",
  line: "#dfe2e7",
  "line-strong": "#c5cad3",
  ink: "#14171c",
  muted: "#5b6472",
  accent: "#d95f02",
  good: "#14713f",
  warn: "#8a5a00",
  bad: "#b3261e",
  link: "#2a3038",
  reach: "#fdf4ec",
  grid: "#eceef1",
  tint: "1",
  "data-0": "#d95f02",
  "data-1": "#0072b2",
  "data-2": "#6a3fc4",
  "data-3": "#00876c",
  "data-4": "#7a6a58",
  "data-5": "#c2387f",
  mono: "ui-monospace, monospace",
  sans: "system-ui, sans-serif",
};

const LOAD_STEPS = 20;

export function readPalette(element: Element): Palette {
  const style = getComputedStyle(element);
  const read = (name: string): string => style.getPropertyValue(`--${name}`).trim() || (PLAIN[name] ?? "#888");
  const [ink, bad] = [read("ink"), read("bad")];
  return {
    card: read("card"),
    line: read("line"),
    lineStrong: read("line-strong"),
    ink,
    muted: read("muted"),
    accent: read("accent"),
    good: read("good"),
    warn: read("warn"),
    bad,
    link: read("link"),
    reach: read("reach"),
    grid: read("grid"),
    tint: Number(read("tint")),
    data: [0, 1, 2, 3, 4, 5].map((i) => read(`data-${i}`)),
    mono: read("mono"),
    sans: read("sans"),
    load: Array.from({ length: LOAD_STEPS + 1 }, (_, i) => mix(bad, ink, alarm(i / LOAD_STEPS))),
  };
}

/** `share` of one colour in another. */
export function mix(colour: string, into: string, share: number): string {
  return `color-mix(in oklab, ${colour} ${Math.round(100 * share)}%, ${into})`;
}

/** Colour of a torque by its share of the limit. */
export function loadColour(palette: Palette, share: number): string {
  const step = Math.round(LOAD_STEPS * Math.min(1, Math.max(0, share)));
  return palette.load[step] ?? palette.bad;
}

/** Nothing to fear below 60 % of a limit, all alarm at 95 %. */
function alarm(share: number): number {
  const x = Math.min(1, Math.max(0, (share - 0.6) / 0.35));
  return x * x * (3 - 2 * x);
}

const BY_ROLE: Record<MotionRole, number> = { closed: 0, run: 0, member: 0, plan: 0, open: 1 };

/**
 * Index of the data colour of a motion: the one it has in the first chart that compares motions, so that
 * a colour means one thing on a page; else by its role.
 */
export function motionColour(header: ReportDocument, label: string): number {
  const comparing = header.charts.find((chart) => new Set(chart.series.map((series) => series.motion)).size > 1);
  const series = comparing?.series.find((candidate) => candidate.motion === label);
  if (series) return series.color;
  const at = header.motions.findIndex((motion) => motion.label === label);
  const role = header.motions[at]?.role ?? "run";
  return role === "member" ? at % 6 : BY_ROLE[role];
}
