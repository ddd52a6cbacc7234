// A document made by hand: a two-joint arm that follows a circle, in open and in closed loop.
// `page(kind)` writes the body of a page that carries it, encoded as ulna encodes it.

import type {
  ChartSpec,
  Column,
  ColumnSpec,
  DocumentKind,
  Motion,
  PlaneCurve,
  PlaneSpec,
  Ref,
  ReportDocument,
  Series,
} from "../src/document";

const LENGTHS: [number, number] = [0.9, 0.7];
const END = 10;
const COUNT = 501;
const STEP = END / (COUNT - 1);
const TIMES: Ref = { start: 0, step: STEP, count: COUNT };

/** Columns in the order of the data. */
class Columns {
  readonly values: Column[] = [];

  add(values: ArrayLike<number>, type: "f32" | "f64" = "f32"): number {
    this.values.push(type === "f32" ? Float32Array.from(values) : Float64Array.from(values));
    return this.values.length - 1;
  }

  sample(f: (t: number) => number, type: "f32" | "f64" = "f32"): number {
    return this.add(
      Array.from({ length: COUNT }, (_, i) => f(i * STEP)),
      type,
    );
  }

  specs(): ColumnSpec[] {
    return this.values.map((column) => ({ type: column instanceof Float32Array ? "f32" : "f64", length: column.length }));
  }
}

/** Angles of the joints that put the tip at (x, y), elbow down. */
function inverse(x: number, y: number): [number, number] {
  const [a, b] = LENGTHS;
  const q2 = Math.acos((x * x + y * y - a * a - b * b) / (2 * a * b));
  return [Math.atan2(y, x) - Math.atan2(b * Math.sin(q2), a + b * Math.cos(q2)), q2];
}

function onCircle(t: number): [number, number] {
  const angle = (2 * Math.PI * t) / END;
  return [0.9 + 0.3 * Math.cos(angle), 0.3 + 0.3 * Math.sin(angle)];
}

/** Joint angles along the circle, with an error that grows by `drift` a second. */
function angles(t: number, drift: number): [number, number] {
  const [q1, q2] = inverse(...onCircle(t));
  return [q1 - drift * t, q2 + drift * t * Math.sin(t)];
}

function motion(columns: Columns, label: string, role: Motion["role"], drift: number): Motion {
  return {
    label,
    role,
    t: TIMES,
    q: [columns.sample((t) => angles(t, drift)[0], "f64"), columns.sample((t) => angles(t, drift)[1], "f64")],
    tau: [columns.sample((t) => 24 + 14 * Math.cos(t)), columns.sample((t) => 6 * Math.sin(1.3 * t))],
    status: "completed",
    ended: END,
  };
}

function chart(columns: Columns, id: string, title: string, unit: string, curves: [string, (t: number) => number][]): ChartSpec {
  const series = curves.map(
    ([label, f], i): Series => ({ label, t: TIMES, y: columns.sample(f), color: (i % 6) as Series["color"] }),
  );
  return { id, title, unit, factor: 1, digits: 2, series, limits: [] };
}

function charts(columns: Columns): ChartSpec[] {
  const error = chart(columns, "tip-error", "Tip error", "mm", [
    ["open", (t) => 0.004 * t * t],
    ["closed", (t) => 0.0008 * Math.abs(Math.sin(3 * t))],
  ]);
  error.factor = 1000;
  const torque = chart(columns, "torque", "Torque", "N·m", [
    ["τ₁", (t) => 24 + 14 * Math.cos(t)],
    ["τ₂", (t) => 6 * Math.sin(1.3 * t)],
  ]);
  torque.limits = [
    { label: "limit of joint 1", value: 36, color: 0 },
    { label: "limit of joint 2", value: 8, color: 1 },
  ];
  torque.note = "20,000 samples, shown as the minimum and maximum of 1,200 buckets";
  return [
    error,
    torque,
    chart(columns, "terms", "Torque by term, joint 1", "N·m", [
      ["gravity", (t) => 20 + 9 * Math.cos(t)],
      ["inertia", (t) => 3 * Math.cos(2 * t)],
      ["Coriolis", (t) => Math.sin(2 * t)],
    ]),
    chart(columns, "speed", "Joint speed", "rad/s", [
      ["joint 1", (t) => Math.cos(t)],
      ["joint 2", (t) => 0.7 * Math.sin(t)],
    ]),
    chart(columns, "power", "Power", "W", [["all motors", (t) => 30 * Math.sin(t) * Math.cos(t)]]),
    chart(columns, "energy", "Energy", "J", [
      ["kinetic", (t) => Math.sin(t) ** 2],
      ["potential", (t) => 22 + 6 * Math.sin(0.6 * t)],
    ]),
  ];
}

function plane(columns: Columns, role: PlaneCurve["role"]): PlaneSpec {
  const curves = Array.from({ length: 12 }, (_, k): PlaneCurve => {
    const radius = 0.2 * (k + 1);
    const x = columns.sample((t) => radius * Math.cos(t) * Math.exp(-t / 20));
    return { x, y: columns.sample((t) => -radius * Math.sin(t) * Math.exp(-t / 20)), role, color: (k % 6) as 0 };
  });
  return {
    id: role,
    title: role === "member" ? "Tip paths of all members" : "Phase portrait of joint 1",
    x: { label: "angle", unit: "°", factor: 180 / Math.PI },
    y: { label: "speed", unit: "rad/s", factor: 1 },
    curves,
    points: [
      { x: 0, y: 0, role: "stable", label: "hanging" },
      { x: 2.4, y: 0, role: "saddle", label: "upright" },
    ],
  };
}

function motions(columns: Columns, kind: DocumentKind): Motion[] {
  if (kind === "portrait") return [];
  if (kind === "plan") return [motion(columns, "plan", "plan", 0)];
  if (kind === "run") return [motion(columns, "run", "run", 0.004)];
  if (kind === "batch") {
    return Array.from({ length: 8 }, (_, k) => motion(columns, `member ${k + 1}`, "member", 0.004 * (k - 4)));
  }
  return [motion(columns, "open loop", "open", 0.02), motion(columns, "closed loop", "closed", 0.0005)];
}

export interface Fixture {
  header: ReportDocument;
  columns: Column[];
}

/** The document and its columns; `kind` decides what it holds. */
export function fixture(kind: DocumentKind = "following"): Fixture {
  const columns = new Columns();
  const moving = kind !== "portrait";
  const header: ReportDocument = {
    format: 1,
    kind,
    title: "Circle of 30 cm by a two-joint arm",
    subtitle: "two-link · 10 s · computed torque against feedforward · gravity 9.81 m/s²",
    verdict: { ok: kind === "batch" ? false : true, text: "The closed loop keeps the tip within 0.8 mm of the circle; the open loop ends 400 mm away." },
    arm: {
      name: "two-link",
      n: 2,
      lengths: [...LENGTHS],
      base: [0, 0],
      gravity: [0, -9.81],
      reach: [LENGTHS[0] - LENGTHS[1], LENGTHS[0] + LENGTHS[1]],
      payload: 0.5,
      joints: [
        { name: "shoulder", lower: -2.6, upper: 2.6, maxTorque: 36, motor: "EC 60" },
        { name: "elbow", lower: null, upper: null, maxTorque: 8, motor: null },
      ],
    },
    span: [0, moving ? END : 0],
    motions: motions(columns, kind),
    path: moving && kind !== "run" ? { x: columns.sample((t) => onCircle(t)[0]), y: columns.sample((t) => onCircle(t)[1]) } : null,
    charts: moving ? charts(columns) : [],
    planes: kind === "portrait" ? [plane(columns, "orbit")] : kind === "batch" ? [plane(columns, "member")] : [],
    findings: [
      { level: "good", text: "Every joint stays within its limits.", t: null },
      { level: "info", text: "The tip is fastest at the bottom of the circle, 0.19 m/s.", t: moving ? 2.5 : null },
      { level: "warning", text: "Joint 1 uses 98 % of its torque limit.", t: moving ? 6.283 : null, motion: "closed loop" },
      { level: "problem", text: "The open loop leaves the tolerance of 1 mm.", t: moving ? 0.5 : null, motion: "open loop" },
    ],
    tables: [
      {
        title: "Motors and limits",
        columns: ["joint", "motor", "torque limit [N·m]", "peak [N·m]", "rms [N·m]", "lower [°]", "upper [°]", "gear"],
        rows: [
          ["shoulder", "EC 60", "36", "35.4", "25.1", "−149", "149", "80"],
          ["elbow", "none", "8", "6.0", "4.2", "free", "free", "1"],
        ],
      },
      { title: "Settings", columns: ["setting", "value"], rows: [["solver", "DOP853"], ["relative tolerance", "1e-9"], ["control rate", "1 kHz"]] },
    ],
    repeat: {
      command: "ulna follow --shape circle --radius 0.3 --duration 10 --out build/follow",
      script: 'import ulna\n\narm = ulna.Arm([0.9, 0.7])\nplan = ulna.plan(arm, "circle")\nrun = ulna.follow(plan)\nulna.report(run, "report.html")\n',
    },
    notes: ["Charts show 2,400 of 20,000 samples: the minimum and maximum of each bucket of time."],
    versions: { ulna: "1.0.0", Python: "3.12.4", NumPy: "2.1.0", Numba: "0.61.0" },
    columns: [],
  };
  header.columns = columns.specs();
  return { header, columns: columns.values };
}

/** Shuffled, deflated, base64: what ulna writes. */
export async function encodeColumns(columns: readonly Column[]): Promise<string> {
  const blocks = columns.map((column) => {
    const bytes = new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
    const size = column.BYTES_PER_ELEMENT;
    const shuffled = new Uint8Array(bytes.length);
    for (let i = 0; i < bytes.length; i++) shuffled[(i % size) * column.length + Math.floor(i / size)] = bytes[i] as number;
    return shuffled;
  });
  const stream = new Blob(blocks).stream().pipeThrough(new CompressionStream("deflate"));
  const packed = new Uint8Array(await new Response(stream).arrayBuffer());
  let binary = "";
  for (const byte of packed) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** The element of a page that carries the document. */
export async function page(kind: DocumentKind = "following", change: (header: ReportDocument) => void = () => {}): Promise<string> {
  const { header, columns } = fixture(kind);
  change(header);
  const json = JSON.stringify(header).replace(/</g, "\\u003c");
  return `<div class="ulna" data-ulna="report">
<script type="application/json" class="ulna-document">${json}</script>
<script type="application/octet-stream" class="ulna-data">${await encodeColumns(columns)}</script>
</div>`;
}
