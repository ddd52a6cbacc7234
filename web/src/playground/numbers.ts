/** The numbers of an arm that is played with, and what a slider does to them. SI units and radians. */

import type { Arm } from "../document";
import { at } from "../interpolate";

export const MOST_LINKS = 4;
export const EARTH = 9.81;

/** What numbers may be, by typing and by address: beyond that steps of the integrator lose their digits. */
export const BOUNDS = {
  length: [1e-4, 1e4],
  mass: [1e-6, 1e6],
  /** Of what may be left out: payload, damping, a rotor. */
  size: [0, 1e6],
  /** The longest and heaviest rod has a twelfth of that [kg·m²]. */
  inertia: [0, 1e14],
  gain: [0, 1e18],
  torque: [-1e9, 1e9],
  /** Along a path [m/s]. */
  speed: [1e-3, 100],
  /** Of what has a sign: a place [m], gravity [m/s²], a speed of a joint [rad/s]. */
  any: [-1e4, 1e4],
  /** Angles [rad], and gear ratios. */
  angle: [-1e6, 1e6],
} as const satisfies Record<string, readonly [number, number]>;

export interface LinkNumbers {
  length: number;
  mass: number;
  /** Centre of mass, along the link from its joint and to its left [m]. */
  com: number;
  comOffset: number;
  /** About the centre of mass [kg·m²]. */
  inertia: number;
  /** Point mass at the link's end [kg]. */
  tipMass: number;
}

export interface JointNumbers {
  /** [N·m·s/rad] */
  damping: number;
  rotorInertia: number;
  gearRatio: number;
  maxTorque: number | null;
  lower: number | null;
  upper: number | null;
}

export interface ArmNumbers {
  name: string;
  links: readonly LinkNumbers[];
  joints: readonly JointNumbers[];
  gravity: readonly [number, number];
  /** Point mass at the tip [kg], and its inertia about itself [kg·m²]. */
  payload: number;
  payloadInertia: number;
}

export const FREE_JOINT: JointNumbers = { damping: 0, rotorInertia: 0, gearRatio: 1, maxTorque: null, lower: null, upper: null };

/** A uniform rod. */
export function rod(length: number, mass: number): LinkNumbers {
  return { length, mass, com: length / 2, comOffset: 0, inertia: (mass * length * length) / 12, tipMass: 0 };
}

/** The longest way from base to tip [m]. */
export function reachOf(arm: ArmNumbers): number {
  return arm.links.reduce((sum, link) => sum + link.length, 0);
}

/** The shortest way from base to tip [m]: what the longest link leaves over when all others fold back. */
export function innerReach(arm: ArmNumbers): number {
  const longest = Math.max(...arm.links.map((link) => link.length));
  return Math.max(0, 2 * longest - reachOf(arm));
}

export function totalMass(arm: ArmNumbers): number {
  return arm.links.reduce((sum, link) => sum + link.mass + link.tipMass, arm.payload);
}

/** Whether a link is a uniform rod, but for rounding. */
function isRod(link: LinkNumbers): boolean {
  const usual = rod(link.length, link.mass);
  const same = (one: number, other: number): boolean => Math.abs(one - other) <= 1e-12 * Math.abs(other);
  return link.comOffset === 0 && same(link.com, usual.com) && same(link.inertia, usual.inertia);
}

/** The link at another length: its shape stays, so the centre of mass moves along and the inertia grows by the square. */
export function withLength(link: LinkNumbers, length: number): LinkNumbers {
  if (isRod(link)) return { ...rod(length, link.mass), tipMass: link.tipMass };
  const by = length / link.length;
  return { ...link, length, com: link.com * by, comOffset: link.comOffset * by, inertia: link.inertia * by * by };
}

/** The link at another mass, its shape as it was. A point mass at the end scales with it where that is all there is. */
export function withMass(link: LinkNumbers, mass: number): LinkNumbers {
  if (link.mass <= 0 || isRod(link)) return { ...rod(link.length, mass), tipMass: link.tipMass };
  return { ...link, mass, inertia: (link.inertia * mass) / link.mass };
}

export function changeLink(arm: ArmNumbers, index: number, link: LinkNumbers): ArmNumbers {
  return { ...arm, links: arm.links.map((old, i) => (i === index ? link : old)) };
}

export function changeJoint(arm: ArmNumbers, index: number, joint: JointNumbers): ArmNumbers {
  return { ...arm, joints: arm.joints.map((old, i) => (i === index ? joint : old)) };
}

/** One link more at the tip: a rod like the last one. */
export function addLink(arm: ArmNumbers): ArmNumbers {
  const last = arm.links[arm.links.length - 1] as LinkNumbers;
  const mass = last.mass > 0 ? last.mass : Math.max(last.tipMass, 0.1);
  const joint = { ...FREE_JOINT, damping: arm.joints[arm.joints.length - 1]?.damping ?? 0 };
  return { ...arm, links: [...arm.links, rod(last.length, mass)], joints: [...arm.joints, joint] };
}

export function removeLink(arm: ArmNumbers): ArmNumbers {
  return { ...arm, links: arm.links.slice(0, -1), joints: arm.joints.slice(0, -1) };
}

/** The nearest posture between the stops of all joints. */
export function withinStops(arm: ArmNumbers, q: readonly number[]): number[] {
  return q.map((angle, i) => Math.min(arm.joints[i]?.upper ?? Infinity, Math.max(arm.joints[i]?.lower ?? -Infinity, angle)));
}

/** The arm as the drawing functions of the viewer know one. */
export function drawnArm(arm: ArmNumbers): Arm {
  return {
    name: arm.name,
    n: arm.links.length,
    lengths: arm.links.map((link) => link.length),
    base: [0, 0],
    gravity: [at(arm.gravity, 0), at(arm.gravity, 1)],
    reach: [innerReach(arm), reachOf(arm)],
    payload: arm.payload,
    joints: arm.joints.map((joint, i) => ({
      name: `joint ${i + 1}`,
      lower: joint.lower,
      upper: joint.upper,
      maxTorque: joint.maxTorque,
      motor: null,
    })),
  };
}
