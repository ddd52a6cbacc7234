import { describe, expect, it } from "vitest";
import { type Column, fromColumns, type Loaded } from "../src/document";
import { traceRuns } from "../src/arm-backdrop";
import { liftedAt, MotionTrack } from "../src/motion-track";
import { fixture } from "./fixture";

/** An arm of these links whose joints turn at constant speeds, sampled coarsely. */
function whirl(lengths: number[], speeds: number[], count = 21, end = 2): MotionTrack {
  const { header } = fixture("run");
  const t = Float64Array.from({ length: count }, (_, i) => (end * i) / (count - 1));
  const columns: Column[] = [t, ...speeds.map((speed) => t.map((time) => speed * time))];
  header.arm = { ...header.arm, n: lengths.length, lengths, base: [0, 0] };
  const loaded: Loaded = fromColumns(header, columns);
  const q = speeds.map((_, i) => i + 1);
  return new MotionTrack(loaded, { label: "whirl", role: "run", t: 0, q, tau: null, status: "", ended: end });
}

describe("pose", () => {
  it("is the document's at every sample", () => {
    const { header, columns } = fixture("run");
    const loaded = fromColumns(header, columns);
    const motion = header.motions[0];
    if (!motion) throw new Error("a motion");
    const track = new MotionTrack(loaded, motion);
    const q = new Float64Array(2);
    for (const k of [0, 1, 17, 500]) {
      track.angles(track.t[k] ?? 0, q);
      motion.q.forEach((ref, i) => expect(q[i]).toBe(loaded.column(ref)[k]));
    }
  });

  it("tells torques between samples, their peaks, and where there are none", () => {
    const { header, columns } = fixture("run");
    const motion = header.motions[0];
    if (!motion) throw new Error("a motion");
    const track = new MotionTrack(fromColumns(header, columns), motion);
    const tau = new Float64Array(2);
    expect(track.torques(3.01, tau)).toBe(true);
    expect(tau[0]).toBeCloseTo(24 + 14 * Math.cos(3.01), 2);
    expect(track.peaks[0]).toBeCloseTo(38, 3);
    expect(whirl([1], [1]).torques(1, tau)).toBe(false);
  });
});

describe("trace", () => {
  /** Greatest distance of the middles of chords from the true curve at their times. */
  function chordError(track: MotionTrack, tolerance: number): number {
    const trace = track.trace(tolerance);
    const q = new Float64Array(track.arm.n);
    const pose = new Float64Array(2 * track.arm.n + 2);
    let worst = 0;
    for (let k = 0; k + 1 < trace.t.length; k++) {
      const middle = ((trace.t[k] ?? 0) + (trace.t[k + 1] ?? 0)) / 2;
      track.pose(middle, q, pose);
      const x = ((trace.xy[2 * k] ?? 0) + (trace.xy[2 * k + 2] ?? 0)) / 2;
      const y = ((trace.xy[2 * k + 1] ?? 0) + (trace.xy[2 * k + 3] ?? 0)) / 2;
      worst = Math.max(worst, Math.hypot(x - (pose[2 * track.arm.n] ?? 0), y - (pose[2 * track.arm.n + 1] ?? 0)));
    }
    return worst;
  }

  it.each([
    ["one link, 3 rad a sample", [1], [30]],
    ["two links that turn against each other", [0.8, 0.6], [20, -41]],
    ["six links", [0.4, 0.3, 0.3, 0.2, 0.2, 0.1], [3, -5, 7, -11, 13, -17]],
  ])("draws arcs however coarse the samples: %s", (_, lengths, speeds) => {
    expect(chordError(whirl(lengths, speeds), 0.002)).toBeLessThan(0.002);
  });

  it("spends no points on an arm that stands", () => {
    expect(whirl([1, 1], [0, 0]).trace(1e-6).t).toHaveLength(21);
  });

  it("knows its length", () => {
    expect(whirl([0.5], [Math.PI], 21, 2).trace(1e-5).length).toBeCloseTo(Math.PI, 3);
  });

  it("stays affordable", () => {
    expect(whirl([1], [4000], 3001, 60).trace(1e-6).t.length).toBeLessThan(70_000);
  });
});

describe("a pen", () => {
  it("is up from the start of a travel to before its end", () => {
    const lifted: [number, number][] = [[1, 2], [2.5, 4]];
    expect([...liftedAt([0, 0.99, 1, 1.5, 2, 2.4, 2.5, 3.99, 4, 9], lifted)]).toEqual([0, 0, 1, 1, 0, 0, 1, 1, 0, 0]);
    expect([...liftedAt([0, 1, 2], [])]).toEqual([0, 0, 0]);
  });

  it("parts a trace where it is lifted and lowered, and leaves no point out", () => {
    const trace = whirl([1], [1]).trace(1);
    const last = trace.t.length - 1;
    expect(traceRuns(trace, 0, last)).toEqual([{ from: 0, to: last, lifted: false }]);
    trace.lifted = liftedAt(trace.t, [[0.5, 1]]);
    const runs = traceRuns(trace, 0, last);
    expect(runs.map((run) => run.lifted)).toEqual([false, true, false]);
    expect(runs.map((run) => [trace.t[run.from], trace.t[run.to]])).toEqual([[0, 0.5], [0.5, 1], [1, 2]]);
    expect(traceRuns(trace, 7, 7)).toEqual([{ from: 7, to: 7, lifted: true }]);
  });
});
