/** Where the tip has just been: a ring of places, apart by a step at least, that fade with the way since then. */

import type { Pen } from "../arm-draw";
import { at } from "../interpolate";

const CAPACITY = 1500;
/** Classes of age, each drawn at once. */
const SHADES = 20;

export class Trace {
  readonly #places = new Float64Array(2 * CAPACITY);
  #count = 0;

  /** Keep a place, unless it is nearer than `step` [m] to the last one. */
  push(x: number, y: number, step: number): void {
    const last = (this.#count + CAPACITY - 1) % CAPACITY;
    if (this.#count > 0 && Math.hypot(x - at(this.#places, 2 * last), y - at(this.#places, 2 * last + 1)) < step) return;
    const k = this.#count % CAPACITY;
    this.#places[2 * k] = x;
    this.#places[2 * k + 1] = y;
    this.#count += 1;
  }

  clear(): void {
    this.#count = 0;
  }

  draw({ context, view }: Pen, colour: string): void {
    const length = Math.min(this.#count, CAPACITY);
    if (length < 2) return;
    context.strokeStyle = colour;
    context.lineWidth = 2;
    context.lineJoin = context.lineCap = "round";
    const each = Math.ceil(length / SHADES);
    for (let from = 0; from < length - 1; from += each) {
      const to = Math.min(length - 1, from + each);
      context.globalAlpha = 0.75 * (to / length) ** 1.5;
      context.beginPath();
      for (let i = from; i <= to; i++) {
        const k = (this.#count - length + i) % CAPACITY;
        const [x, y] = [view.x(at(this.#places, 2 * k)), view.y(at(this.#places, 2 * k + 1))];
        if (i === from) context.moveTo(x, y);
        else context.lineTo(x, y);
      }
      context.stroke();
    }
    context.globalAlpha = 1;
  }
}
