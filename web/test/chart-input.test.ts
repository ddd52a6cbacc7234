import { beforeEach, describe, expect, test } from "vitest";
import { ChartInput } from "../src/chart-input";
import { SharedRange } from "../src/chart-range";
import { Clock } from "../src/clock";

const WIDTH = 100;

let clock: Clock;
let range: SharedRange;
let area: EventTarget;
let focus: EventTarget;
let selection: { hidden: boolean; style: Record<string, string> };
let input: ChartInput;

beforeEach(() => {
  clock = new Clock(0, 10);
  range = new SharedRange(0, 10);
  area = Object.assign(new EventTarget(), { setPointerCapture: () => {} });
  focus = new EventTarget();
  selection = { hidden: true, style: {} };
  input = new ChartInput({
    area: area as HTMLElement,
    focus: focus as HTMLElement,
    selection: selection as unknown as HTMLElement,
    width: () => WIDTH,
    clock,
    range,
  });
});

/** A pointer's event at a place of the area [px]. */
function point(type: string, x: number, more: object = {}): void {
  const about = { offsetX: x, offsetY: 5, clientX: x, clientY: 5, button: 0, pointerId: 1, pointerType: "mouse", ...more };
  area.dispatchEvent(Object.assign(new Event(type), about));
}

function finger(type: string, id: number, x: number): void {
  point(type, x, { pointerId: id, pointerType: "touch", clientY: id });
}

/** Press a key; returns whether the chart took it. */
function key(name: string, more: object = {}): boolean {
  return !focus.dispatchEvent(Object.assign(new Event("keydown", { cancelable: true }), { key: name, ...more }));
}

describe("mouse", () => {
  test("hovering seeks while paused, not while playing; a click always does", () => {
    point("pointermove", 30);
    expect(clock.time).toBeCloseTo(3);
    clock.play();
    point("pointermove", 60);
    expect(clock.time).toBeCloseTo(3);
    point("pointerdown", 60);
    point("pointerup", 60);
    expect(clock.time).toBeCloseTo(6);
    expect(clock.playing).toBe(true);
  });

  test("a page that scrolls under the pointer moves nothing", () => {
    point("pointermove", 30);
    clock.seek(8);
    point("pointermove", 30);
    expect(clock.time).toBe(8);
  });

  test("dragging marks and then shows a part of time, either way round", () => {
    point("pointerdown", 70);
    point("pointermove", 20);
    expect([selection.hidden, selection.style.transform, selection.style.width]).toEqual([false, "translateX(20px)", "50px"]);
    point("pointerup", 20);
    expect(selection.hidden).toBe(true);
    expect([range.min, range.max]).toEqual([2, 7]);
    area.dispatchEvent(new Event("dblclick"));
    expect(range.zoomed).toBe(false);
  });

  test("a trembling click selects nothing", () => {
    point("pointerdown", 50);
    point("pointermove", 52);
    point("pointerup", 52);
    expect(range.zoomed).toBe(false);
    expect(clock.time).toBeCloseTo(5.2);
  });

  test("Shift and dragging moves what is shown along", () => {
    range.set(4, 6);
    point("pointerdown", 50, { shiftKey: true });
    point("pointermove", 0);
    point("pointerup", 0);
    expect([range.min, range.max]).toEqual([5, 7]);
  });

  test("the wheel scrolls the page, and zooms with Ctrl about the pointer", () => {
    const wheel = (ctrlKey: boolean): boolean =>
      !area.dispatchEvent(Object.assign(new Event("wheel", { cancelable: true }), { ctrlKey, deltaX: 0, deltaY: -100, offsetX: 25 }));
    expect([wheel(false), range.zoomed]).toEqual([false, false]);
    expect([wheel(true), range.zoomed]).toEqual([true, true]);
    expect((2.5 - range.min) / range.span).toBeCloseTo(0.25);
  });

  test("nothing is heard after the end", () => {
    input.destroy();
    point("pointermove", 30);
    expect(clock.time).toBe(0);
  });
});

describe("touch", () => {
  test("one finger scrubs once it moves, even while playing; a tap seeks", () => {
    clock.play();
    finger("pointerdown", 1, 20);
    expect(clock.time).toBe(0);
    finger("pointermove", 1, 50);
    expect(clock.time).toBeCloseTo(5);
    finger("pointerup", 1, 50);
    finger("pointerdown", 1, 80);
    finger("pointerup", 1, 80);
    expect(clock.time).toBeCloseTo(8);
    expect(range.zoomed).toBe(false);
  });

  test("two fingers keep their times under them", () => {
    finger("pointerdown", 1, 40);
    finger("pointerdown", 2, 60);
    finger("pointermove", 1, 20);
    finger("pointermove", 2, 80);
    const timeAt = (x: number): number => range.min + (x / WIDTH) * range.span;
    expect(timeAt(20)).toBeCloseTo(4);
    expect(timeAt(80)).toBeCloseTo(6);
    expect(clock.time).toBe(0);
  });

  test("the finger that stays after zooming does not scrub", () => {
    finger("pointerdown", 1, 40);
    finger("pointerdown", 2, 60);
    finger("pointerup", 2, 60);
    finger("pointermove", 1, 70);
    finger("pointerup", 1, 70);
    expect(clock.time).toBe(0);
    finger("pointerdown", 1, 30);
    finger("pointermove", 1, 50);
    expect(clock.time).toBeCloseTo(5);
  });

  test("a scroll of the page takes the finger away", () => {
    finger("pointerdown", 1, 40);
    finger("pointercancel", 1, 40);
    finger("pointermove", 1, 90);
    expect(clock.time).toBe(0);
  });
});

describe("keys", () => {
  test("arrows move the cursor by a part of what is shown, and that along with it", () => {
    range.set(0, 2);
    expect(key("ArrowRight")).toBe(true);
    expect(clock.time).toBeCloseTo(0.01);
    key("ArrowRight", { shiftKey: true });
    expect(clock.time).toBeCloseTo(0.11);
    clock.seek(2);
    key("ArrowRight");
    expect(range.max).toBeCloseTo(2.01);
  });

  test("plus and minus zoom about the cursor, 0 and Escape show all", () => {
    clock.seek(5);
    key("+");
    expect(range.span).toBeCloseTo(10 / 1.5);
    key("-");
    expect(range.zoomed).toBe(false);
    for (const whole of ["0", "Escape"]) {
      key("+");
      key(whole);
      expect(range.zoomed).toBe(false);
    }
  });

  test("all other keys are the page's", () => {
    expect([" ", "Home", "l", "Escape"].map((name) => key(name))).toEqual([false, false, false, false]);
    expect(key("+", { ctrlKey: true })).toBe(false);
  });
});
