/** The arm for others: as a robot file, and as the Python that makes it. */

import { at } from "../interpolate";
import { FREE_JOINT, rod, type ArmNumbers, type JointNumbers, type LinkNumbers } from "./numbers";

const LINK_NAMES: readonly [keyof LinkNumbers, string][] = [
  ["com", "com"], ["inertia", "inertia"], ["tipMass", "tip_mass"], ["comOffset", "com_offset"],
];
const JOINT_NAMES: readonly [keyof JointNumbers, string][] = [
  ["lower", "lower"], ["upper", "upper"], ["maxTorque", "max_torque"], ["damping", "damping"], ["rotorInertia", "rotor_inertia"], ["gearRatio", "gear_ratio"],
];

/** A number as TOML and Python read it: with a point or an exponent, to the last digit. */
function float(value: number): string {
  const text = String(value);
  return /[.e]/.test(text) ? text.replace(/^(-?\d+)e/, "$1.0e") : `${text}.0`;
}

/** Text between double quotes, safe in TOML and in Python. */
function quoted(text: string): string {
  const escaped = [...text].map((letter) => {
    const code = letter.codePointAt(0) as number;
    if (letter === '"' || letter === "\\") return `\\${letter}`;
    return code < 32 || code === 127 ? `\\u${code.toString(16).padStart(4, "0")}` : letter;
  });
  return `"${escaped.join("")}"`;
}

/** What of a link differs from a uniform rod, by its name in ulna. */
function linkFields(link: LinkNumbers): [string, number][] {
  const usual = rod(link.length, link.mass);
  return LINK_NAMES.filter(([key]) => link[key] !== usual[key]).map(([key, name]) => [name, link[key]]);
}

function jointFields(joint: JointNumbers): [string, number][] {
  return JOINT_NAMES.filter(([key]) => joint[key] !== FREE_JOINT[key]).map(([key, name]) => [name, joint[key] as number]);
}

/** The robot file that `ulna.load` reads. */
export function robotToml(arm: ArmNumbers): string {
  const lines = ["format = 1"];
  if (arm.name) lines.push(`name = ${quoted(arm.name)}`);
  lines.push(`gravity = [${float(at(arm.gravity, 0))}, ${float(at(arm.gravity, 1))}]`);
  if (arm.payloadInertia) lines.push(`payload = { mass = ${float(arm.payload)}, inertia = ${float(arm.payloadInertia)} }`);
  else if (arm.payload) lines.push(`payload = ${float(arm.payload)}`);
  arm.links.forEach((link, i) => {
    lines.push("", "[[link]]", `length = ${float(link.length)}`, `mass = ${float(link.mass)}`);
    lines.push(...linkFields(link).map(([name, value]) => `${name} = ${float(value)}`));
    const joint = jointFields(arm.joints[i] ?? FREE_JOINT);
    if (joint.length > 0) lines.push(`joint = { ${joint.map(([name, value]) => `${name} = ${float(value)}`).join(", ")} }`);
  });
  return `${lines.join("\n")}\n`;
}

/** The line of Python that makes the same arm. */
export function pythonLine(arm: ArmNumbers): string {
  const call = (name: string, fields: readonly [string, string][]): string => `ulna.${name}(${fields.map(([key, value]) => `${key}=${value}`).join(", ")})`;
  const links = arm.links.map((link) =>
    call("Link", [["length", float(link.length)], ["mass", float(link.mass)], ...linkFields(link).map(([name, value]): [string, string] => [name, float(value)])]),
  );
  const joints = arm.joints.map((joint) => call("Joint", jointFields(joint).map(([name, value]): [string, string] => [name, float(value)])));
  const parts = [`[${links.join(", ")}]`];
  if (arm.joints.some((joint) => jointFields(joint).length > 0)) parts.push(`[${joints.join(", ")}]`);
  parts.push(`gravity=(${float(at(arm.gravity, 0))}, ${float(at(arm.gravity, 1))})`);
  if (arm.payloadInertia) parts.push(`payload=${call("Payload", [["mass", float(arm.payload)], ["inertia", float(arm.payloadInertia)]])}`);
  else if (arm.payload) parts.push(`payload=${float(arm.payload)}`);
  if (arm.name) parts.push(`name=${quoted(arm.name)}`);
  return `arm = ulna.Arm.of(${parts.join(", ")})`;
}
