/** Zooming and panning a canvas by wheel, drag, pinch and double click. */

import type { Viewport } from "./geometry";

export interface GestureOptions {
  /** Whether the wheel zooms by itself, or only with Ctrl held so that a page of many canvases scrolls. */
  wheel: "always" | "ctrl";
  /** The view changed. */
  changed(): void;
}

/** A place on the canvas [px]. */
interface Place {
  x: number;
  y: number;
}

/** Pixels that a pointer may tremble without dragging. */
const TREMBLE = 3;
/** Pixels a notch of a wheel counts for where it reports lines or pages. */
const WHEEL_UNITS = [1, 16, 240];

/** Let `canvas` be zoomed and panned; returns what ends it. */
export function bindGestures(canvas: HTMLCanvasElement, view: Viewport, options: GestureOptions): () => void {
  const end = new AbortController();
  const { signal } = end;
  const pointers = new Map<number, Place>();
  let dragging = false;
  const place = (event: MouseEvent): Place => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const changed = (): void => {
    allowTouch(canvas, view);
    options.changed();
  };

  const wheel = (event: WheelEvent): void => {
    if (options.wheel === "ctrl" && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const amount = event.deltaY * (WHEEL_UNITS[event.deltaMode] ?? 1);
    const { x, y } = place(event);
    // a trackpad's pinch comes as a wheel with Ctrl and small steps
    view.zoomAt(Math.exp(-amount * (event.ctrlKey ? 0.01 : 0.0016)), x, y);
    changed();
  };
  const down = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    pointers.set(event.pointerId, place(event));
    canvas.setPointerCapture(event.pointerId);
    canvas.classList.add("arm-canvas-held");
  };
  const move = (event: PointerEvent): void => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const now = place(event);
    dragging ||= pointers.size > 1 || Math.hypot(now.x - before.x, now.y - before.y) > TREMBLE;
    if (!dragging) return;
    pointers.set(event.pointerId, now);
    const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
    if (!other && event.pointerType === "touch" && !view.moved) return;
    if (other) pinch(view, before, now, other);
    else view.panBy(now.x - before.x, now.y - before.y);
    changed();
  };
  const up = (event: PointerEvent): void => {
    pointers.delete(event.pointerId);
    if (pointers.size > 0) return;
    dragging = false;
    canvas.classList.remove("arm-canvas-held");
  };
  const reset = (): void => {
    view.reset();
    changed();
  };

  allowTouch(canvas, view);
  canvas.addEventListener("wheel", wheel, { passive: false, signal });
  canvas.addEventListener("pointerdown", down, { signal });
  canvas.addEventListener("pointermove", move, { signal });
  canvas.addEventListener("pointerup", up, { signal });
  canvas.addEventListener("pointercancel", up, { signal });
  canvas.addEventListener("dblclick", reset, { signal });
  return () => end.abort();
}

/** Let one finger scroll the page until there is something to pan; the browser itself never zooms here. */
export function allowTouch(canvas: HTMLCanvasElement, view: Viewport): void {
  canvas.style.touchAction = view.moved ? "none" : "pan-y";
}

/** One finger moved from `before` to `now` while another rests at `other`: zoom about their middle, and follow it. */
function pinch(view: Viewport, before: Place, now: Place, other: Place): void {
  const apart = Math.hypot(now.x - other.x, now.y - other.y);
  const were = Math.hypot(before.x - other.x, before.y - other.y);
  view.panBy((now.x - before.x) / 2, (now.y - before.y) / 2);
  if (apart > 10 && were > 10) view.zoomAt(apart / were, (now.x + other.x) / 2, (now.y + other.y) / 2);
}
