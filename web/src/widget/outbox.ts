/** Values on their way to Python: at most one a frame, the latest wins. */

/** What anywidget gives a widget of the object in Python: its synchronised traits. */
export interface Model {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  on(event: string, listener: () => void): void;
  off(event: string, listener: () => void): void;
}

/** Values go at most so often [ms] where they come by themselves, as from a clock that runs. */
export const EASY_PACE = 100;

export class Outbox {
  readonly #model: Model;
  readonly #waiting = new Map<string, unknown>();
  #frame: number | null = null;
  #sent = Number.NEGATIVE_INFINITY;

  constructor(model: Model) {
    this.#model = model;
  }

  /** Send a value with the next frame that is `apart` after what was sent before [ms]. */
  put(name: string, value: unknown, apart = 0): void {
    this.#waiting.set(name, value);
    if (performance.now() - this.#sent < apart) return;
    this.#frame ??= requestAnimationFrame(() => this.flush());
  }

  /** Send at once what waits. */
  flush(): void {
    if (this.#frame !== null) cancelAnimationFrame(this.#frame);
    this.#frame = null;
    if (this.#waiting.size === 0) return;
    for (const [name, value] of this.#waiting) this.#model.set(name, value);
    this.#waiting.clear();
    this.#sent = performance.now();
    this.#model.save_changes();
  }
}

/** Call `listener` when Python, or another view of the same object, changes a trait; returns what ends that. */
export function onChange(model: Model, name: string, listener: () => void): () => void {
  model.on(`change:${name}`, listener);
  return () => model.off(`change:${name}`, listener);
}
