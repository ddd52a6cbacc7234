import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Arm } from "../src/document";
import { at } from "../src/interpolate";
import { themeOf } from "../src/widget/notebook-theme";
import { type Model, Outbox } from "../src/widget/outbox";
import { held, otherBranch, reachedFrom, tipOf, turned } from "../src/widget/posing";

function armOf(lengths: number[], limits: [number | null, number | null][] = [], base: [number, number] = [0, 0]): Arm {
  const outer = lengths.reduce((sum, length) => sum + length, 0);
  const inner = Math.max(0, 2 * Math.max(...lengths) - outer);
  const joints = lengths.map((_, i) => ({ name: `joint ${i + 1}`, lower: limits[i]?.[0] ?? null, upper: limits[i]?.[1] ?? null, maxTorque: null, motor: null }));
  return { name: "arm", n: lengths.length, lengths, base, gravity: [0, -9.81], reach: [inner, outer], payload: 0, joints };
}

const apart = (one: readonly number[], other: readonly number[]): number => Math.hypot(...one.map((value, i) => value - at(other, i)));

describe("a posture for a tip", () => {
  it("puts the tip there, for two links to ten, wherever the base is", () => {
    for (const n of [2, 3, 5, 10]) {
      const arm = armOf(Array.from({ length: n }, (_, i) => 0.2 + 0.05 * (i % 3)), [], [0.3, -0.4]);
      let q = Array.from({ length: n }, () => 0.2);
      for (let i = 0; i < 40; i++) {
        const [angle, far] = [0.3 * i, (0.55 + 0.35 * Math.sin(i)) * arm.reach[1]];
        const target: [number, number] = [0.3 + far * Math.cos(angle), -0.4 + far * Math.sin(angle)];
        const found = reachedFrom(arm, q, ...target);
        expect(apart(tipOf(arm, found.q), target)).toBeLessThan(1e-8);
        expect(found.shortfall).toBe(0);
        q = found.q;
      }
    }
  });

  it("says by how much a point is out of reach, and comes as near as it gets", () => {
    const arm = armOf([1, 0.5]);
    const beyond = reachedFrom(arm, [0.3, 0.4], 2, 0);
    expect(beyond.shortfall).toBeCloseTo(0.5, 3);
    expect(apart(tipOf(arm, beyond.q), [1.5, 0])).toBeLessThan(1e-3);
    expect(reachedFrom(arm, [0.3, 0.4], 0.1, 0).shortfall).toBeCloseTo(0.4, 3);
  });

  it("keeps the side of the elbow and does not wind back", () => {
    const arm = armOf([1, 0.7]);
    for (const side of [1, -1]) {
      let q = [0, 1.5 * side];
      const first = at(q, 0);
      for (let i = 0; i <= 100; i++) q = reachedFrom(arm, q, 1.2 * Math.cos((2 * Math.PI * i) / 100), 1.2 * Math.sin((2 * Math.PI * i) / 100)).q;
      expect(Math.sign(at(q, 1))).toBe(side);
      expect(Math.abs(at(q, 0) - first - 2 * Math.PI)).toBeLessThan(1);
    }
  });

  it("bends an arm that is straight", () => {
    const arm = armOf([0.5, 0.5, 0.5, 0.5]);
    expect(apart(tipOf(arm, reachedFrom(arm, [0, 0, 0, 0], 1.2, 0).q), [1.2, 0])).toBeLessThan(1e-8);
  });

  it("stays within the joint limits, whatever is asked", () => {
    const arm = armOf([0.5, 0.4, 0.3], [[-1, 1], [0, 2], [-0.5, 0.5]]);
    let q = [0.2, 0.5, 0.1];
    for (let i = 0; i < 60; i++) {
      q = reachedFrom(arm, q, 1.3 * Math.cos(i), 1.3 * Math.sin(2 * i)).q;
      expect(held(arm, q)).toEqual(q);
    }
    expect(reachedFrom(arm, q, -1, 0).shortfall).toBeGreaterThan(0.1);
  });
});

describe("the other branch", () => {
  it("has the same tip and the elbow on the other side", () => {
    const arm = armOf([0.8, 0.5], [], [0.1, 0.2]);
    for (const q of [[0.4, 1.1], [-2, -0.6], [3, 2.9]]) {
      const other = otherBranch(arm, q) as number[];
      expect(apart(tipOf(arm, other), tipOf(arm, q))).toBeLessThan(1e-12);
      expect(at(other, 1)).toBe(-at(q, 1));
    }
  });

  it("is none for a straight arm, for other numbers of links, and beyond a limit", () => {
    expect(otherBranch(armOf([1, 1]), [0.3, 0])).toBeNull();
    expect(otherBranch(armOf([1, 1, 1]), [0.3, 1, 1])).toBeNull();
    expect(otherBranch(armOf([1, 1], [[null, null], [0, 2]]), [0.3, 1])).toBeNull();
  });
});

it("one joint turns to an angle by the shorter way, as far as its limits let it", () => {
  const arm = armOf([1, 1], [[null, null], [-1, 1]]);
  expect(turned(arm, [3, 0.5], 0, -3)).toEqual([2 * Math.PI - 3, 0.5]);
  expect(turned(arm, [3, 0.5], 1, 1.4)).toEqual([3, 1]);
});

describe("the theme", () => {
  const none = { classes: [] as string[], prefersDark: true };
  it("is the notebook's, else the system's", () => {
    expect(themeOf({ ...none, jpThemeLight: "true" })).toBe("light");
    expect(themeOf({ ...none, jpThemeLight: "false", prefersDark: false })).toBe("dark");
    expect(themeOf({ ...none, vscodeThemeKind: "vscode-light" })).toBe("light");
    expect(themeOf({ ...none, vscodeThemeKind: "vscode-high-contrast-light" })).toBe("light");
    expect(themeOf({ ...none, vscodeThemeKind: "vscode-high-contrast", prefersDark: false })).toBe("dark");
    expect(themeOf({ ...none, theme: "light" })).toBe("light");
    expect(themeOf({ ...none, classes: ["app", "light"] })).toBe("light");
    expect([true, false].map((prefersDark) => themeOf({ ...none, prefersDark }))).toEqual(["dark", "light"]);
  });
});

describe("an outbox", () => {
  let frames: (() => void)[] = [];
  const sent: Record<string, unknown>[] = [];
  const model: Model = {
    get: () => null,
    set: (name, value) => (sent.at(-1) as Record<string, unknown>)[name] = value,
    save_changes: () => void sent.push({}),
    on: () => undefined,
    off: () => undefined,
  };
  beforeEach(() => {
    frames = [];
    sent.splice(0, sent.length, {});
    vi.stubGlobal("requestAnimationFrame", (frame: () => void) => frames.push(frame));
    vi.stubGlobal("cancelAnimationFrame", (handle: number) => (frames[handle - 1] = (): void => undefined));
  });
  afterEach(() => vi.unstubAllGlobals());
  const draw = (): void => {
    const due = frames;
    frames = [];
    for (const frame of due) frame();
  };

  it("sends once a frame, and the latest", () => {
    const box = new Outbox(model);
    for (const q of [1, 2, 3]) box.put("q", q);
    expect(sent).toEqual([{}]);
    draw();
    draw();
    expect(sent).toEqual([{ q: 3 }, {}]);
  });

  it("sends at once when it is flushed, and nothing twice", () => {
    const box = new Outbox(model);
    box.put("q", 1);
    box.flush();
    draw();
    box.flush();
    expect(sent).toEqual([{ q: 1 }, {}]);
  });

  it("waits between values that come by themselves", () => {
    const now = vi.spyOn(performance, "now");
    const box = new Outbox(model);
    for (const [time, value] of [[0, 1], [40, 2], [80, 3], [120, 4]] as const) {
      now.mockReturnValue(time);
      box.put("time", value, 100);
      draw();
    }
    expect(sent).toEqual([{ time: 1 }, { time: 4 }, {}]);
    now.mockRestore();
  });
});
