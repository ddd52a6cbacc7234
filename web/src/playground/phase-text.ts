/** What a phase portrait says, in words. */

import { numberText } from "../chart-series";
import { type Equilibrium, isStable, type Portrait } from "./phase";

export function angleText(angle: number, digits = 1): string {
  return `${numberText((angle * 180) / Math.PI, digits)}°`;
}

/** Three digits of a speed, with its unit. */
export function speedText(speed: number): string {
  const power = Math.floor(Math.log10(Math.abs(speed) || 1) + 1e-9);
  return `${numberText(speed, Math.min(4, Math.max(0, 2 - power)))} rad/s`;
}

export function equilibriumText({ kind, angle }: Equilibrium): string {
  return `${kind === "degenerate" ? "degenerate equilibrium" : kind} at ${angleText(angle)}`;
}

/** What becomes of the joint. */
export function fateText(portrait: Portrait): string {
  const { flow, equilibria, running, restsAnywhere } = portrait;
  const damped = flow.damping > 0;
  if (restsAnywhere) return damped ? "Without gravity it comes to rest at any angle." : "Without gravity and damping it keeps its speed.";
  const rest = equilibria.find(isStable) ?? equilibria[0];
  if (!rest) return unheldText(portrait);
  const place = angleText(rest.angle);
  if (running) return `It settles at ${place} or runs on at ${speedText(running.mean)}, depending on where it starts.`;
  if (damped) return `It settles at ${place} from almost every start.`;
  return flow.torque === 0
    ? `It swings about ${place} inside the separatrices, and turns over and over outside.`
    : `It swings about ${place} inside the separatrix, and turns ever faster outside.`;
}

function unheldText({ flow, running }: Portrait): string {
  if (running) return `Nothing holds it: it runs on at ${speedText(running.mean)} from every start.`;
  return flow.damping > 0 ? "Nothing holds it: it runs on from every start." : "Nothing holds it: it turns ever faster.";
}

/** The whole picture, for those who do not see it. */
export function portraitLabel(portrait: Portrait): string {
  const { equilibria, running, fastest } = portrait;
  const places = equilibria.map(equilibriumText).join(", ") || (portrait.restsAnywhere ? "every angle is an equilibrium" : "no equilibrium");
  const beyond = running && running.fastest > fastest ? " The running solution is faster than the picture goes." : "";
  return `Phase portrait: speed from ${speedText(-fastest)} to ${speedText(fastest)} over a turn of the angle; ${places}. ${fateText(portrait)}${beyond}`;
}
