import { shortened } from "../text.ts"; // with its ending, as Node loads it in a test

/**
 * Numbers with units, as people type them, to SI and back: "12,5 cm", "−15°", "2 kg*cm", "0.4 kgm²".
 *
 * A unit belongs to a quantity, and its factor to SI is the one that ulna has in Python. Factors of a unit may be
 * joined by `*`, `·`, a space, a hyphen or a dot, in any order; squares are `^2`, `**2` or `²`. A comma is a decimal
 * comma. Case is free, save for an M before a letter, which could mean mega.
 */

const INCH = 0.0254;
const FOOT = 0.3048;
const POUND = 0.45359237;
const GRAVITY = 9.80665; // [m/s²], of a kilogram-force
const TURN = 2 * Math.PI;
const DEGREE = Math.PI / 180;

type Table = Readonly<Record<string, number>>;

const LENGTHS = { m: 1, cm: 1e-2, mm: 1e-3, um: 1e-6, km: 1e3, in: INCH, ft: FOOT };
const MASSES = { kg: 1, g: 1e-3, mg: 1e-6, lb: POUND, oz: POUND / 16 };
const WEIGHTS = { kgf: GRAVITY, gf: 1e-3 * GRAVITY, lbf: POUND * GRAVITY, ozf: (POUND / 16) * GRAVITY };
const FORCES = { N: 1, mN: 1e-3, kN: 1e3, MN: 1e6, ...WEIGHTS };
// A servo's "kg*cm" is a kilogram-force on a lever.
const PULLS = { ...FORCES, kg: WEIGHTS.kgf, g: WEIGHTS.gf, lb: WEIGHTS.lbf, oz: WEIGHTS.ozf };
const ANGLES = { rad: 1, deg: DEGREE, turn: TURN, rev: TURN, mrad: 1e-3 };

const TORQUES =
  "N*m N*cm N*mm mN*m kN*m MN*m kgf*m kgf*cm kgf*mm gf*cm kg*m kg*cm kg*mm g*cm ozf*in oz*in lbf*in lbf*ft lb*in lb*ft";
const INERTIAS = "kg*m^2 kg*cm^2 kg*mm^2 g*m^2 g*cm^2 g*mm^2 lb*ft^2 lb*in^2 oz*in^2";
const MOMENTS = "kg*m kg*cm kg*mm g*m g*cm g*mm";

function products(units: string, left: Table, right: Table): Table {
  const factor = (unit: string): number => {
    const [a = "", b = ""] = unit.split("*");
    const [length = "", square] = b.split("^");
    return (left[a] ?? Number.NaN) * (right[length] ?? Number.NaN) ** (square ? 2 : 1);
  };
  return Object.fromEntries(units.split(" ").map((unit) => [unit, factor(unit)]));
}

function perSecond(units: Table): Table {
  return Object.fromEntries(Object.entries(units).map(([unit, factor]) => [`${unit}/s`, factor]));
}

interface Kind {
  /** What it is called in a sentence, with its article. */
  readonly name: string;
  readonly example: string;
  readonly units: Table;
}

const KINDS = {
  length: { name: "a length", example: "25 cm", units: LENGTHS },
  mass: { name: "a mass", example: "400 g", units: MASSES },
  angle: { name: "an angle", example: "30 deg", units: ANGLES },
  rate: {
    name: "an angular velocity",
    example: "2.5 rad/s",
    units: { ...perSecond(ANGLES), rpm: TURN / 60, "deg/min": DEGREE / 60, "1/s": 1 },
  },
  "angular-acceleration": { name: "an angular acceleration", example: "90 deg/s^2", units: { "rad/s^2": 1, "deg/s^2": DEGREE, "rev/s^2": TURN } },
  torque: { name: "a torque", example: "1.5 N*m", units: products(TORQUES, PULLS, LENGTHS) },
  energy: { name: "an energy", example: "2 J", units: { J: 1, mJ: 1e-3, kJ: 1e3, "N*m": 1 } },
  power: { name: "a power", example: "5 W", units: { W: 1, mW: 1e-3, kW: 1e3 } },
  time: { name: "a time", example: "4 s", units: { s: 1, ms: 1e-3, us: 1e-6, min: 60, h: 3600 } },
  frequency: { name: "a frequency", example: "50 Hz", units: { Hz: 1, kHz: 1e3 } },
  damping: {
    name: "a damping",
    example: "0.02 N*m*s/rad",
    units: { "N*m*s/rad": 1, "N*m*s": 1, "mN*m*s/rad": 1e-3, "mN*m*s": 1e-3 },
  },
  stiffness: {
    name: "a stiffness",
    example: "3 N*m/rad",
    units: { "N*m/rad": 1, "N*m/deg": 1 / DEGREE, "mN*m/rad": 1e-3 },
  },
  "integral-gain": { name: "an integral gain", example: "20 N*m/(rad*s)", units: { "N*m/rad/s": 1, "mN*m/rad/s": 1e-3, "N*m/deg/s": 1 / DEGREE } },
  speed: { name: "a speed", example: "20 cm/s", units: { "m/s": 1, "cm/s": 1e-2, "mm/s": 1e-3, "in/s": INCH, "ft/s": FOOT } },
  acceleration: { name: "an acceleration", example: "9.81 m/s^2", units: { "m/s^2": 1, "cm/s^2": 1e-2, "mm/s^2": 1e-3, "ft/s^2": FOOT } },
  inertia: { name: "a moment of inertia", example: "0.03 kg*m^2", units: products(INERTIAS, MASSES, LENGTHS) },
  moment: { name: "a first moment of mass", example: "0.2 kg*m", units: products(MOMENTS, MASSES, LENGTHS) },
  force: { name: "a force", example: "5 N", units: FORCES },
  number: { name: "a number without a unit", example: "0.5", units: {} },
} satisfies Record<string, Kind>;

export type Quantity = keyof typeof KINDS;
export const QUANTITIES = Object.keys(KINDS) as readonly Quantity[];

export type Parsed = { readonly value: number } | { readonly problem: string };

function kindOf(quantity: Quantity): Kind {
  return KINDS[quantity];
}

/** The units that a quantity may be given in, the SI one first. */
export function unitsOf(quantity: Quantity): readonly string[] {
  return Object.keys(kindOf(quantity).units);
}

/** How many SI units a unit is; NaN if it is none of the quantity's. */
export function unitFactor(unit: string, quantity: Quantity): number {
  return kindOf(quantity).units[unit] ?? Number.NaN;
}

/** A unit as it is printed: "kg·m²", "°". */
export function unitLabel(unit: string): string {
  if (unit === "deg") return "°";
  return unit.replace(/^(.+)\/rad\/s$/, "$1/(rad·s)").replaceAll("*", "·").replaceAll("^2", "²");
}

/**
 * An SI value in a unit, with so many significant digits. A unit that means something else to another quantity
 * ("kg*m", a torque or a first moment) needs the quantity beside it.
 */
export function formatQuantity(valueSI: number, unit: string, digits: number, quantity?: Quantity): string {
  const factor = unit ? unitFactor(unit, quantity ?? ownerOf(unit)) : 1;
  const rounded = Number(fromSI(valueSI, factor).toPrecision(digits));
  const text = String(rounded === 0 ? 0 : rounded).replaceAll("-", "−");
  return unit ? `${text}${unit === "deg" ? "" : " "}${unitLabel(unit)}` : text;
}

/** A distance with two digits, in the unit that fits it: "3.4 mm", "12 cm", "1.6 m". */
export function distanceText(metres: number): string {
  const unit = metres < 0.01 ? "mm" : metres < 1 ? "cm" : "m";
  return formatQuantity(metres, unit, 2, "length");
}

function ownerOf(unit: string): Quantity {
  const owners = QUANTITIES.filter((quantity) => unit in kindOf(quantity).units);
  const [first] = owners;
  if (!first) throw new RangeError(`there is no unit ${unit}`);
  if (owners.some((owner) => unitFactor(unit, owner) !== unitFactor(unit, first))) {
    throw new RangeError(`${unit} is a unit of ${owners.join(" and of ")}: say which is meant`);
  }
  return first;
}

// 57 / 100 is the number nearest to 0.57, 57 * 0.01 is not.
function toSI(value: number, factor: number): number {
  return Number.isInteger(1 / factor) ? value / (1 / factor) : value * factor;
}

function fromSI(value: number, factor: number): number {
  return Number.isInteger(1 / factor) ? value * (1 / factor) : value / factor;
}

const LONGEST = 100; // letters of what is read

/** Read what somebody typed, as an SI value; a bare number is in `unit`. */
export function parseQuantity(text: string, quantity: Quantity, unit: string): Parsed {
  const kind = kindOf(quantity);
  const need = `${kind.name} is needed, such as ${kind.example}`;
  const typed = text.trim();
  if (!typed) return { problem: `Nothing is written here: ${need}.` };
  if (typed.length > LONGEST) return { problem: `“${shortened(typed, 40)}” is too long to be read: ${need}.` };
  const plain = plainSigns(typed);
  const found = NUMBER.exec(plain);
  if (!found) return { problem: `“${shortened(typed, 40)}” does not begin with a number: ${need}.` };
  if (/^[.,]\d/.test(plain.slice(found[0].length))) {
    return { problem: `“${shortened(typed, 40)}” has more than one comma or point: ${need}, without marks between thousands.` };
  }
  const value = numberOf(found);
  const given = plain.slice(found[0].length).trim();
  const factor = given ? factorOf(given, quantity) : unit ? unitFactor(unit, quantity) : 1;
  if (factor === null) return { problem: wrongUnit(typed, given, quantity) };
  const result = toSI(value, factor);
  return Number.isFinite(result) ? { value: result } : { problem: `“${shortened(typed, 40)}” is not a finite number: ${need}.` };
}

const DIGITS = String.raw`(?:\d+(?:[.,]\d*)?|[.,]\d+)`;
// A number, a multiple of π, a fraction of either: "0,5", "-2.5e-3", "3π/4", "pi / 6".
const NUMBER = new RegExp(
  String.raw`^([+-]?)\s*(?:(${DIGITS}(?:e[+-]?\d+)?)(\s*\*?\s*(?:pi\b|π))?|(pi\b|π))(?:\s*/\s*(${DIGITS}))?`,
  "i",
);

function numberOf([, sign, digits, times, alone, divisor]: RegExpExecArray): number {
  const read = (part: string | undefined): number => (part ? Number(part.replace(",", ".")) : 1);
  const size = (read(digits) * (times || alone ? Math.PI : 1)) / read(divisor);
  return sign === "-" ? -size : size;
}

const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** The same text in the letters of a keyboard: one minus, one product sign, powers by ^, no spaces inside a number. */
function plainSigns(text: string): string {
  return text
    .replace(/[\u2212\u2012\u2013\ufe63\uff0d]/g, "-")
    .replace(/[·⋅×•∙]/g, "*")
    .replace(/[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+/g, (power) => `^${[...power].map((c) => (c === "⁻" ? "-" : RAISED.indexOf(c) < 0 ? "" : RAISED.indexOf(c))).join("")}`)
    .replace(/[°º]/g, "deg")
    .replace(/[µμ]/g, "u")
    .replaceAll("**", "^")
    .replace(/(?<=\d)\s(?=\d{3}(?!\d))/g, "")
    .replace(/(?<=\d)\s*\*\s*10\s*\^\s*\(?([+-]?\d+)\)?/, "e$1")
    .trim();
}

// One word of a unit at a time, so that "Nm*s/rad" is "N*m*s/rad".
const SYNONYMS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    m: "meter meters metre metres",
    in: "inch inches",
    ft: "foot feet",
    kg: "kilogram kilograms",
    g: "gram grams",
    lb: "lbs pound pounds",
    oz: "ounce ounces",
    deg: "degree degrees",
    rad: "radian radians",
    turn: "turns",
    rev: "revs revolution revolutions",
    s: "sec secs second seconds",
    min: "minute minutes",
    h: "hr hrs hour hours",
    N: "newton newtons",
    J: "joule joules",
    W: "watt watts",
    Hz: "hertz",
    "rev/s": "rps",
    "N*m": "Nm",
    "N*cm": "Ncm",
    "N*mm": "Nmm",
    "mN*m": "mNm",
    "kN*m": "kNm",
    "MN*m": "MNm",
    "N*m*s": "Nms",
    "kg*m": "kgm",
    "kg*cm": "kgcm",
    "kg*mm": "kgmm",
    "g*m": "gm",
    "g*cm": "gcm",
    "g*mm": "gmm",
    "oz*in": "ozin",
  }).flatMap(([unit, words]) => words.split(" ").map((word) => [word, unit])),
);
const FOLDED_SYNONYMS = Object.fromEntries(Object.entries(SYNONYMS).map(([word, unit]) => [folded(word), folded(unit)]));
const LONG_WORD = 4; // from this length on a synonym is a word, in which no letter can be a prefix

/** The spelling that all spellings of a unit share, with its factors sorted. */
function keyOf(unit: string, fold: boolean): string {
  const text = unit
    .replace(/[\s*.]*([A-Za-z]+)\s*\^\s*-([12])/g, (_, word: string, power: string) => `/${word}${power === "1" ? "" : "^2"}`)
    .replace(/^\//, "1/")
    .replace(/\s*([*/^.()-])\s*/g, "$1")
    .replaceAll("/(rad/s)", "*s/rad")
    .replace(/\/\((\w+)\*(\w+)\)/g, "/$1/$2")
    .replace(/(?<!\^)[\s.-]+/g, "*")
    .replace(/[A-Za-z]+/g, (word) => (fold ? foldedWord(word) : exactWord(word)));
  const [above = "", ...below] = text.split("/");
  return [above.split("*").sort().join("*"), ...below.map((part) => part.split("*").sort().join("*")).sort()].join("/");
}

function exactWord(word: string): string {
  return SYNONYMS[word] ?? (word.length >= LONG_WORD ? (SYNONYMS[word.toLowerCase()] ?? word) : word);
}

function foldedWord(word: string): string {
  const small = folded(word);
  return FOLDED_SYNONYMS[small] ?? small;
}

/** Small letters, but for an M before a letter: "MN" is no "mN". */
function folded(text: string): string {
  return text.replace(/\BM|M(?![A-Za-z])|[^M]/g, (letter) => letter.toLowerCase());
}

function factorOf(given: string, quantity: Quantity): number | null {
  for (const fold of [false, true]) {
    const key = keyOf(given, fold);
    const same = Object.entries(kindOf(quantity).units).filter(([unit]) => keyOf(unit, fold) === key);
    const [found] = same;
    if (found && same.length === 1) return found[1];
  }
  return null;
}

function wrongUnit(typed: string, given: string, quantity: Quantity): string {
  const kind = kindOf(quantity);
  const need = `${kind.name} is needed, such as ${kind.example}`;
  const other = QUANTITIES.find((one) => factorOf(given, one) !== null);
  if (other) return `“${shortened(typed, 40)}” is ${kindOf(other).name}: ${need}.`;
  const offered = unitsOf(quantity).slice(0, 4).map(unitLabel).join(", ");
  return `“${shortened(given, 40)}” is not a unit that is known here: ${need}${offered && `; in ${offered}`}.`;
}
