import { expect, test, vi } from "vitest";
import { SharedRange } from "../src/chart-range";
import { Clock } from "../src/clock";

test("charts of one clock share one range", () => {
  const clock = new Clock(0, 10);
  expect(SharedRange.of(clock)).toBe(SharedRange.of(clock));
  expect(SharedRange.of(new Clock(0, 10))).not.toBe(SharedRange.of(clock));
});

test("a range begins with all time and is reset to it", () => {
  const range = new SharedRange(2, 12);
  expect([range.min, range.max, range.zoomed]).toEqual([2, 12, false]);
  range.set(3, 4);
  expect([range.min, range.max, range.zoomed]).toEqual([3, 4, true]);
  range.reset();
  expect([range.min, range.max, range.zoomed]).toEqual([2, 12, false]);
});

test("zooming keeps a time where it is", () => {
  const range = new SharedRange(0, 10);
  range.zoom(2, 3);
  expect((3 - range.min) / range.span).toBeCloseTo(0.3);
  expect(range.span).toBeCloseTo(5);
  range.zoom(0.5, 3);
  expect([range.min, range.max, range.zoomed]).toEqual([0, 10, false]);
});

test("a range stays inside all time, however far it is moved", () => {
  const range = new SharedRange(0, 10);
  range.set(4, 6);
  range.pan(100);
  expect([range.min, range.max]).toEqual([8, 10]);
  range.pan(-100);
  expect([range.min, range.max]).toEqual([0, 2]);
  range.set(-5, 50);
  expect([range.min, range.max]).toEqual([0, 10]);
});

test("a range is never empty", () => {
  const range = new SharedRange(0, 10);
  for (let i = 0; i < 100; i++) range.zoom(2, 5);
  expect(range.span).toBeCloseTo(1e-3);
  expect(new SharedRange(3, 3).span).toBe(1);
  range.set(Number.NaN, 2);
  expect(range.span).toBeCloseTo(1e-3);
});

test("a range moves along to show a time", () => {
  const range = new SharedRange(0, 10);
  range.set(4, 6);
  range.show(5);
  expect([range.min, range.max]).toEqual([4, 6]);
  range.show(7);
  expect([range.min, range.max]).toEqual([5, 7]);
  range.show(1);
  expect([range.min, range.max]).toEqual([1, 3]);
});

test("listeners hear of changes only, until they leave", () => {
  const range = new SharedRange(0, 10);
  const heard = vi.fn();
  const leave = range.subscribe(heard);
  range.reset();
  expect(heard).not.toHaveBeenCalled();
  range.set(1, 2);
  expect(heard).toHaveBeenCalledTimes(1);
  leave();
  range.reset();
  expect(heard).toHaveBeenCalledTimes(1);
});
