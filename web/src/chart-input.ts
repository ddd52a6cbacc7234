/**
 * Pointer, touch and keys on a chart: what is pointed at is the time that everything shows.
 *
 * Mouse: hovering seeks while paused, a click always; dragging selects the time to show, with Shift it
 * moves that along; a double click shows all. Touch: one finger scrubs, two zoom. Keys: ← → move the
 * cursor by a 200th of what is shown (Shift: ten times that), + − zoom, 0 shows all.
 */

import type { SharedRange } from "./chart-range";
import type { Clock } from "./clock";

/** Pixels that a pointer moves before a press becomes a drag. */
const SLACK = 4;

type Gesture =
  | { kind: "none" }
  | { kind: "press" | "select" | "pan" | "touch" | "scrub"; from: number; fromY: number }
  | { kind: "pinch"; times: Map<number, number> };

export interface InputParts {
  /** What the pointer moves over: the area of the curves. */
  area: HTMLElement;
  /** What has the focus. */
  focus: HTMLElement;
  /** The mark of the time that is selected. */
  selection: HTMLElement;
  /** Width of the area [px]. */
  width(): number;
  clock: Clock;
  range: SharedRange;
}

export class ChartInput {
  readonly #parts: InputParts;
  readonly #ending = new AbortController();
  /** Where each finger or button that is down is [px]. */
  readonly #down = new Map<number, number>();
  #gesture: Gesture = { kind: "none" };
  #last = "";

  constructor(parts: InputParts) {
    this.#parts = parts;
    const { area, focus } = parts;
    const signal = this.#ending.signal;
    area.addEventListener("pointerdown", (event) => this.#press(event), { signal });
    area.addEventListener("pointermove", (event) => this.#move(event), { signal });
    area.addEventListener("pointerup", (event) => this.#release(event), { signal });
    area.addEventListener("pointercancel", (event) => this.#cancel(event), { signal });
    area.addEventListener("dblclick", () => parts.range.reset(), { signal });
    area.addEventListener("wheel", (event) => this.#wheel(event), { signal, passive: false });
    focus.addEventListener("keydown", (event) => this.#key(event), { signal });
  }

  destroy(): void {
    this.#ending.abort();
  }

  #timeAt(x: number): number {
    const { range } = this.#parts;
    const part = Math.min(1, Math.max(0, x / this.#parts.width()));
    return range.min + part * range.span;
  }

  #seek(x: number): void {
    this.#parts.clock.seek(this.#timeAt(x));
  }

  #press(event: PointerEvent): void {
    if (event.button !== 0) return;
    const { offsetX: from, offsetY: fromY } = event;
    this.#down.set(event.pointerId, from);
    this.#parts.area.setPointerCapture(event.pointerId);
    if (event.pointerType === "touch") {
      this.#gesture = this.#down.size === 2 ? this.#pinch() : { kind: "touch", from, fromY };
    } else {
      this.#gesture = { kind: event.shiftKey && this.#parts.range.zoomed ? "pan" : "press", from, fromY };
    }
  }

  #pinch(): Gesture {
    const times = new Map([...this.#down].map(([id, x]) => [id, this.#timeAt(x)]));
    return { kind: "pinch", times };
  }

  #move(event: PointerEvent): void {
    // A page that scrolls under a pointer at rest moves nothing.
    const place = `${event.clientX} ${event.clientY}`;
    if (place === this.#last) return;
    this.#last = place;
    const gesture = this.#gesture;
    const x = event.offsetX;
    if (gesture.kind === "none") {
      if (event.pointerType !== "touch" && !this.#parts.clock.playing) this.#seek(x);
      return;
    }
    if (!this.#down.has(event.pointerId)) return;
    const before = this.#down.get(event.pointerId) as number;
    this.#down.set(event.pointerId, x);
    if (gesture.kind === "pinch") this.#spread(gesture.times);
    else if (gesture.kind === "pan") this.#parts.range.pan(((before - x) / this.#parts.width()) * this.#parts.range.span);
    else this.#drag(gesture, x);
  }

  #drag(gesture: { kind: string; from: number; fromY: number }, x: number): void {
    const far = Math.abs(x - gesture.from) > SLACK;
    if (gesture.kind === "touch" && far) this.#gesture = { ...gesture, kind: "scrub" };
    if (gesture.kind === "press" && far) this.#gesture = { ...gesture, kind: "select" };
    if (this.#gesture.kind === "select") this.#mark(gesture.from, x);
    if (this.#gesture.kind !== "touch") this.#seek(x);
  }

  /** Show that part of time which keeps under each finger the time that it took hold of. */
  #spread(times: Map<number, number>): void {
    const fingers = [...times].map(([id, time]) => ({ time, x: this.#down.get(id) }));
    const [a, b] = fingers;
    if (a?.x === undefined || b?.x === undefined || Math.abs(b.x - a.x) < 8) return;
    const perPixel = (b.time - a.time) / (b.x - a.x);
    if (!(perPixel > 0)) return;
    const from = a.time - a.x * perPixel;
    this.#parts.range.set(from, from + perPixel * this.#parts.width());
  }

  #release(event: PointerEvent): void {
    const gesture = this.#gesture;
    const known = this.#down.delete(event.pointerId);
    this.#mark(0, 0);
    if (!known) return;
    if (gesture.kind === "select") this.#show(gesture.from, event.offsetX);
    if (gesture.kind === "press" || gesture.kind === "touch") this.#seek(event.offsetX);
    // A finger that stays after two were down does not scrub: it was zooming.
    if (this.#down.size === 0 || gesture.kind !== "pinch") this.#gesture = { kind: "none" };
    else this.#gesture = { kind: "pinch", times: new Map() };
  }

  #show(from: number, to: number): void {
    if (Math.abs(to - from) < 2 * SLACK) return;
    const times = [this.#timeAt(from), this.#timeAt(to)].sort((a, b) => a - b) as [number, number];
    this.#parts.range.set(...times);
  }

  #cancel(event: PointerEvent): void {
    this.#down.delete(event.pointerId);
    this.#gesture = { kind: "none" };
    this.#mark(0, 0);
  }

  #mark(from: number, to: number): void {
    const { selection } = this.#parts;
    const held = (x: number): number => Math.min(this.#parts.width(), Math.max(0, x));
    const left = held(Math.min(from, to));
    const width = held(Math.max(from, to)) - left;
    selection.hidden = width < 1;
    selection.style.transform = `translateX(${left}px)`;
    selection.style.width = `${width}px`;
  }

  #wheel(event: WheelEvent): void {
    const { range } = this.#parts;
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      range.zoom(Math.exp(-event.deltaY / 250), this.#timeAt(event.offsetX));
    } else if (range.zoomed && Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      range.pan((event.deltaX / this.#parts.width()) * range.span);
    }
  }

  #key(event: KeyboardEvent): void {
    if (event.target !== this.#parts.focus || event.ctrlKey || event.metaKey || event.altKey) return;
    const act = this.#action(event.key, event.shiftKey);
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }

  #action(key: string, shift: boolean): (() => void) | null {
    const { clock, range } = this.#parts;
    const step = (range.span / 200) * (shift ? 10 : 1);
    switch (key) {
      case "ArrowLeft":
        return () => this.#nudge(-step);
      case "ArrowRight":
        return () => this.#nudge(step);
      case "+":
      case "=":
        return () => range.zoom(1.5, clock.time);
      case "-":
      case "−":
        return () => range.zoom(1 / 1.5, clock.time);
      case "0":
        return () => range.reset();
      case "Escape":
        if (this.#gesture.kind === "select") return () => this.#drop();
        return range.zoomed ? () => range.reset() : null;
      default:
        return null;
    }
  }

  #nudge(by: number): void {
    const { clock, range } = this.#parts;
    clock.pause();
    clock.seek(clock.time + by);
    range.show(clock.time);
  }

  #drop(): void {
    this.#gesture = { kind: "none" };
    this.#down.clear();
    this.#mark(0, 0);
  }
}
