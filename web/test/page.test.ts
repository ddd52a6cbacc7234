import { describe, expect, it } from "vitest";
import { LARGEST, merge, nameFor, readReport, withoutPlace } from "../src/compare";
import { fromColumns } from "../src/document";
import type { Motion } from "../src/document";
import { actionOf, KEYS } from "../src/keyboard";
import { findingState, isNumeric, verdictWord } from "../src/sections";
import { canPart, picturesOf } from "../src/stage";
import { initialTheme } from "../src/theme";
import { nextSpeed, percentOf, SPEEDS, speedText, timeText } from "../src/transport";
import { fixture } from "./fixture";

const press = (key: string, held: Partial<Record<"shiftKey" | "ctrlKey" | "metaKey" | "altKey", boolean>> = {}) =>
  actionOf({ key, shiftKey: false, ctrlKey: false, metaKey: false, altKey: false, ...held });

describe("keys", () => {
  it("have the actions that the help tells of", () => {
    expect(["ArrowLeft", "ArrowRight", " ", "Home", "End", ",", ".", "r", "L", "t", "G", "o", "?"].map((key) => press(key))).toEqual(
      ["back", "forward", "play", "start", "end", "slower", "faster", "reverse", "loop", "theme", "ghosts", "overlay", "help"],
    );
    expect(press("ArrowLeft", { shiftKey: true })).toBe("back10");
    expect(KEYS.filter((entry) => !entry.moving)).toHaveLength(2);
  });

  it("leave the browser's own shortcuts alone", () => {
    for (const held of ["ctrlKey", "metaKey", "altKey"] as const) expect(press("r", { [held]: true })).toBeNull();
    expect(press("x")).toBeNull();
    expect(press("constructor")).toBeNull();
  });
});

describe("theme", () => {
  it("follows the system until somebody chose", () => {
    expect(initialTheme(null, true)).toBe("dark");
    expect(initialTheme(null, false)).toBe("light");
    expect(initialTheme("light", true)).toBe("light");
    expect(initialTheme("nonsense", true)).toBe("dark");
  });
});

describe("transport", () => {
  it("walks through the speeds in both directions of time and stops at the ends", () => {
    expect(SPEEDS.reduce((speed) => nextSpeed(speed, 1), 0.1)).toBe(4);
    expect(SPEEDS.reduce((speed) => nextSpeed(speed, -1), -4)).toBe(-0.1);
    expect(nextSpeed(0.3, 1)).toBe(0.5);
    expect(nextSpeed(-0.3, -1)).toBe(-0.25);
  });

  it("writes speeds and times", () => {
    expect(speedText(-0.25)).toBe("−0.25×");
    expect([timeText(1.5, 2), timeText(1.5, 60), timeText(1.5, 3600)]).toEqual(["1.500 s", "1.50 s", "1.5 s"]);
    expect(timeText(-0.5, 2)).toBe("−0.500 s");
  });

  it("places times on the slider", () => {
    expect([percentOf(1, 1, 3), percentOf(2, 1, 3), percentOf(9, 1, 3), percentOf(1, 1, 1)]).toEqual([0, 50, 100, 0]);
  });
});

describe("sections", () => {
  it("give a verdict a word besides its colour", () => {
    const words = [true, false, null].map((ok) => verdictWord({ ok, text: "" }).word);
    expect(new Set(words).size).toBe(3);
  });

  it("light a finding up as the clock passes it", () => {
    expect([1, 1.99, 2, 2.05, 3].map((time) => findingState(2, time, 10))).toEqual(["ahead", "now", "now", "now", "past"]);
  });

  it("set columns of numbers to the right", () => {
    expect(isNumeric(["1.5", "−2e-3", "free"])).toBe(true);
    expect(isNumeric(["98 %", "12°", "free", "free"])).toBe(true);
    expect(isNumeric(["DOP853", "1e-9", "1 kHz"])).toBe(false);
    expect(isNumeric([])).toBe(false);
  });
});

const motion = (label: string, role: Motion["role"]): Motion => ({ label, role, t: 0, q: [], tau: null, status: "", ended: 0 });

describe("pictures", () => {
  const following = [motion("b", "closed"), motion("a", "open"), motion("p", "plan")];

  it("put open beside closed loop, or both into one with the closed loop in front", () => {
    expect(picturesOf(following, false)).toEqual([["a"], ["b"]]);
    expect(picturesOf(following, true)).toEqual([["b", "a"]]);
  });

  it("show one motion once, and a plan by itself", () => {
    expect(picturesOf([motion("r", "run")], false)).toEqual([["r"]]);
    expect(picturesOf([motion("p", "plan")], false)).toEqual([["p"]]);
    expect(canPart([motion("p", "plan"), motion("r", "run")])).toBe(false);
  });

  it("draw a batch's members in one picture, and nothing for nothing", () => {
    expect(picturesOf([motion("1", "member"), motion("2", "member")], false)).toEqual([["1", "2"]]);
    expect(picturesOf([], false)).toEqual([]);
  });

  it("put many runs into one picture", () => {
    expect(picturesOf([..."abcde"].map((label) => motion(label, "run")), false)).toHaveLength(1);
  });
});

describe("comparing", () => {
  const load = (kind: "following" | "plan" = "following") => {
    const { header, columns } = fixture(kind);
    return fromColumns(header, columns);
  };

  it("changes nothing where nothing is compared", () => {
    const base = load();
    expect(merge(base, [])).toBe(base);
  });

  it("adds motions and dashed series whose columns are the other report's", () => {
    const base = load();
    const others = [load(), load("plan")];
    const merged = merge(base, [
      { name: "first", loaded: others[0]! },
      { name: "second", loaded: others[1]! },
    ]);
    expect(merged.header.motions.map((one) => one.label)).toEqual([
      "open loop", "closed loop", "open loop · first", "closed loop · first", "plan · second",
    ]);
    const plan = merged.header.motions[4]!;
    expect(merged.column(plan.q[0]!)).toBe(others[1]!.column(others[1]!.header.motions[0]!.q[0]!));
    expect(plan.arm).toEqual(others[1]!.header.arm);
    const error = merged.header.charts.find((chart) => chart.id === "tip-error")!;
    expect(error.series.map((one) => one.dash ?? false)).toEqual([false, false, true, true, true, true]);
    expect(merged.column(error.series[2]!.y)).toBe(others[0]!.column(others[0]!.header.charts[0]!.series[0]!.y));
    expect(base.header.motions).toHaveLength(2);
    expect(base.header.charts[0]!.series).toHaveLength(2);
  });

  it("puts the other's arms beside this one's of the same role", () => {
    const merged = merge(load(), [{ name: "x", loaded: load() }, { name: "y", loaded: load("plan") }]);
    expect(picturesOf(merged.header.motions, false)).toEqual([
      ["open loop", "open loop · x", "plan · y"],
      ["closed loop", "closed loop · x", "plan · y"],
    ]);
  });

  it("lets the clock run as long as the longest", () => {
    const longer = load();
    longer.header.span = [-1, 25];
    expect(merge(load(), [{ name: "x", loaded: longer }]).header.span).toEqual([-1, 25]);
  });

  it("tells reports of one title apart", () => {
    expect(nameFor("Circle", "a.html", [])).toBe("Circle");
    expect(nameFor("Circle", "a.html", ["Circle"])).toBe("a.html");
    expect(nameFor("Circle", "a.html", ["Circle", "a.html"])).toBe("a.html (2)");
  });

  it("says what finds no place", () => {
    const base = load().header;
    expect(withoutPlace(base, base)).toBeNull();
    expect(withoutPlace({ ...base, charts: [] }, { ...base, charts: base.charts.slice(0, 1) })).toContain("Tip error");
  });

  it("refuses what is too large without reading it", async () => {
    const file = { name: "big.html", size: LARGEST + 1, text: () => Promise.reject(new Error("read")) };
    await expect(readReport(file)).rejects.toThrow(/big\.html.*50 MB/);
  });
});
