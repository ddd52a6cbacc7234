/** Where the tip has just been: a ring of places that fade with their age. */

import type { Pen } from "../arm-draw";

/** Places that are kept: two and a half seconds at 250 a second. */
const CAPACITY = 640;
/** Classes of age, each drawn at once. */
const SHADES = 16;

export class Trace {
  readonly #places = new Float64Array(2 * CAPACITY);
  #count = 0;

  push(x: number, y: number): void {
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
        const [x, y] = [view.x(this.#places[2 * k] as number), view.y(this.#places[2 * k + 1] as number)];
        if (i === from) context.moveTo(x, y);
        else context.lineTo(x, y);
      }
      context.stroke();
    }
    context.globalAlpha = 1;
  }
}
