/**
 * The document that a page carries: a JSON header and one block of columns.
 *
 * The data are the bytes of every column (little endian), shuffled so that all first bytes of a column
 * come first, then all second ones, and so on; the columns follow each other without padding; the whole
 * is deflated (zlib) and written in base64. Shuffling puts the exponents of neighbouring samples side by
 * side, which is what makes smooth columns compress. NaN is a gap. All values are SI and radians.
 */

export type Column = Float64Array | Float32Array | Uint8Array;

/** Evenly spaced times: start, start + step, … */
export interface EvenTimes {
  start: number;
  step: number;
  count: number;
}

/** An index into `columns`, or evenly spaced times that need no column. */
export type Ref = number | EvenTimes;

export type DocumentKind = "following" | "run" | "plan" | "batch" | "portrait" | "sweep";
export type MotionRole = "open" | "closed" | "plan" | "run" | "member";
export type FindingLevel = "good" | "info" | "warning" | "problem";
/** Which of the colours --data-0 … --data-5. */
export type DataColour = 0 | 1 | 2 | 3 | 4 | 5;

export interface Verdict {
  ok: boolean | null;
  text: string;
}

export interface Joint {
  name: string;
  /** Joint limits [rad]. */
  lower: number | null;
  upper: number | null;
  /** Torque limit [N·m]. */
  maxTorque: number | null;
  motor: string | null;
}

export interface Arm {
  name: string;
  n: number;
  /** Link lengths [m]. */
  lengths: number[];
  base: [number, number];
  gravity: [number, number];
  /** Inner and outer radius of the workspace [m]. */
  reach: [number, number];
  /** Mass at the tip [kg]. */
  payload: number;
  joints: Joint[];
}

export interface Motion {
  label: string;
  role: MotionRole;
  t: Ref;
  /** Relative angles [rad]: q_i from link i−1, counter-clockwise; q_1 from +x. */
  q: Ref[];
  /** Joint torques [N·m]. */
  tau: Ref[] | null;
  status: string;
  /** When it ended [s]. */
  ended: number;
  /** The arm that moves, where it is not the document's: a motion of another report. */
  arm?: Arm;
}

export interface Path {
  x: Ref;
  y: Ref;
}

export interface Travel extends Path {
  /** From when to when [s] the pen is up, in order. */
  lifted: [number, number][];
}

export interface Series {
  label: string;
  t: Ref;
  y: Ref;
  color: DataColour;
  dash?: boolean;
  motion?: string;
}

export interface Limit {
  label: string;
  /** SI, as the series; multiply by the chart's factor to show it. */
  value: number;
  color?: DataColour;
}

export interface ChartSpec {
  id: string;
  title: string;
  unit: string;
  /** shown = factor · SI */
  factor: number;
  digits: number;
  log?: boolean;
  motion?: string;
  series: Series[];
  limits: Limit[];
  note?: string;
}

export interface PlaneAxis {
  label: string;
  unit: string;
  factor: number;
}

export type CurveRole = "nullcline" | "incoming" | "outgoing" | "running" | "sticking" | "orbit" | "member";

export interface PlaneCurve {
  x: Ref;
  y: Ref;
  role: CurveRole;
  color: DataColour;
  label?: string;
  /** What the legend says of it besides its label. */
  about?: string;
}

export interface PlanePoint {
  x: number;
  y: number;
  role: "stable" | "saddle" | "unstable" | "start" | "stop" | "tip";
  /** Of a start, and of where its curve stops. */
  color?: DataColour;
  label?: string;
}

/** Directions (dx, dy) at points (x, y) of a grid, row by row. */
export interface PlaneField {
  x: Ref;
  y: Ref;
  dx: Ref;
  dy: Ref;
  columns: number;
}

/** How much of a colour covers the background; undecided without a colour. */
export interface PlaneTint {
  label: string;
  color: DataColour | null;
  depth: number;
}

/** Cells that fill a rectangle row by row from its lower left, each with the number of its tint. */
export interface PlaneAreas {
  cells: Ref;
  columns: number;
  /** left, right, bottom, top */
  extent: [number, number, number, number];
  tints: PlaneTint[];
}

export interface PlaneSpec {
  id: string;
  title: string;
  x: PlaneAxis;
  y: PlaneAxis;
  /** What is shown, beyond which nothing is drawn; everything where this is left out. */
  range?: { x: [number, number]; y: [number, number] };
  field?: PlaneField;
  areas?: PlaneAreas;
  curves: PlaneCurve[];
  points: PlanePoint[];
}

export interface Finding {
  level: FindingLevel;
  text: string;
  t: number | null;
  motion?: string;
}

export interface TableSpec {
  title: string;
  columns: string[];
  rows: string[][];
  note?: string;
}

export interface Repeat {
  command: string | null;
  script: string | null;
}

export interface ColumnSpec {
  type: "f32" | "f64" | "u8";
  length: number;
}

/** A parameter of a sweep: its values along an axis of a grid, or at every point of a design. */
export interface SweepParameter {
  name: string;
  unit: string;
  log: boolean;
  /** Numbers, or places in `texts`. */
  values: Ref;
  texts?: string[];
}

/** What is kept of every point: a column for each component, a value for each point. */
export interface SweepScalar {
  name: string;
  about: string;
  unit: string;
  components: string[];
  values: Ref[];
}

/** The same as functions of time: the samples of a point follow those of the point before. */
export interface SweepCurve extends SweepScalar {
  clock: string;
  t: Ref;
}

/** Points of a grid, the last axis fastest, or of a design, which has one axis. */
export interface SweepSpec {
  grid: boolean;
  shape: number[];
  parameters: SweepParameter[];
  scalars: SweepScalar[];
  curves: SweepCurve[];
  status: { words: string[]; well: boolean[]; codes: Ref };
  /** The numbers that the points have in the whole sweep. */
  numbers: Ref;
}

export interface ReportDocument {
  format: 1;
  kind: DocumentKind;
  title: string;
  subtitle: string;
  verdict: Verdict;
  arm: Arm;
  /** Start and end of the clock [s]. */
  span: [number, number];
  motions: Motion[];
  path: Path | null;
  /** Where the tip goes with a pen up; only of a drawing whose pen is lifted. */
  travel?: Travel;
  charts: ChartSpec[];
  planes: PlaneSpec[];
  sweep?: SweepSpec;
  findings: Finding[];
  tables: TableSpec[];
  repeat: Repeat;
  notes: string[];
  versions: Record<string, string>;
  columns: ColumnSpec[];
}

export interface Loaded {
  readonly header: ReportDocument;
  /** Values of a reference; throws {@link DocumentError} when there is no such column. */
  column(ref: Ref): Column;
}

/** A page carries no document, or one that this viewer cannot read. */
export class DocumentError extends Error {
  override readonly name = "DocumentError";
}

/** Read the document inside an element of this page, or inside a parsed page that was dropped in. */
export async function loadFrom(root: ParentNode): Promise<Loaded> {
  const header = root.querySelector("script.ulna-document")?.textContent;
  if (!header) throw new DocumentError("This file is no report of ulna: it carries no document.");
  const data = root.querySelector("script.ulna-data")?.textContent ?? "";
  return decode(header, data);
}

/** Decode a document from its JSON header and its base64 data. */
export async function decode(headerText: string, base64: string): Promise<Loaded> {
  const header = parseHeader(headerText);
  const bytes = await inflate(fromBase64(base64.trim()));
  return fromColumns(header, splitColumns(bytes, header.columns));
}

/** A loaded document from columns that are already in memory. */
export function fromColumns(header: ReportDocument, columns: readonly Column[]): Loaded {
  const even = new Map<string, Float64Array>();
  const column = (ref: Ref): Column => {
    if (typeof ref === "number") {
      const found = columns[ref];
      if (!found) throw new DocumentError(`The report names column ${ref}, but has ${columns.length}.`);
      return found;
    }
    const key = `${ref.start} ${ref.step} ${ref.count}`;
    let times = even.get(key);
    if (!times) {
      times = evenTimes(ref);
      even.set(key, times);
    }
    return times;
  };
  return { header, column };
}

/** Undo the shuffling of bytes and cut the block into columns. */
export function splitColumns(bytes: Uint8Array, specs: readonly ColumnSpec[]): Column[] {
  const need = specs.reduce((sum, spec) => sum + spec.length * width(spec), 0);
  if (bytes.length !== need) {
    throw new DocumentError(`The report's data have ${bytes.length} bytes where its header tells of ${need}: it is damaged.`);
  }
  let offset = 0;
  return specs.map((spec) => {
    const size = spec.length * width(spec);
    const plain = unshuffle(bytes.subarray(offset, offset + size), spec.length, width(spec));
    offset += size;
    return new { f32: Float32Array, f64: Float64Array, u8: Uint8Array }[spec.type](plain);
  });
}

function parseHeader(text: string): ReportDocument {
  let header: unknown;
  try {
    header = JSON.parse(text);
  } catch {
    throw new DocumentError("The report's header cannot be read: it is damaged.");
  }
  const format = (header as { format?: unknown } | null)?.format;
  if (format !== 1) {
    throw new DocumentError(`This viewer reads reports of format 1, and this one has format ${String(format)}.`);
  }
  const document = header as ReportDocument;
  const lists: (keyof ReportDocument)[] = ["motions", "charts", "planes", "findings", "tables", "notes", "columns"];
  const missing = lists.filter((key) => !Array.isArray(document[key]));
  if (missing.length > 0) throw new DocumentError(`The report's header lacks ${missing.join(", ")}: it is damaged.`);
  return document;
}

function width(spec: ColumnSpec): number {
  return { f32: 4, f64: 8, u8: 1 }[spec.type];
}

function unshuffle(shuffled: Uint8Array, length: number, size: number): ArrayBuffer {
  const plain = new Uint8Array(length * size);
  for (let byte = 0; byte < size; byte++) {
    const from = byte * length;
    for (let i = 0; i < length; i++) plain[i * size + byte] = shuffled[from + i] as number;
  }
  return plain.buffer;
}

function evenTimes(ref: EvenTimes): Float64Array {
  const times = new Float64Array(ref.count);
  for (let i = 0; i < ref.count; i++) times[i] = ref.start + i * ref.step;
  return times;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  let binary: string;
  try {
    binary = atob(text);
  } catch {
    throw new DocumentError("The report's data cannot be read: they are damaged.");
  }
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  if (bytes.length === 0) return bytes;
  try {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  } catch {
    throw new DocumentError("The report's data cannot be inflated: they are damaged.");
  }
}
