/**
 * One clock for everything that moves on a page.
 *
 * Time advances by what the animation frame's timestamp says has passed, times the speed: a slow machine
 * drops frames and never slows time. The clock itself knows no browser; {@link drive} connects it to one.
 */

export const SLOWEST = 0.05;
export const FASTEST = 8;
/** Frames a second that {@link Clock.step} counts in. */
export const FRAME_RATE = 60;

export type Listener = (time: number) => void;

export class Clock {
  readonly start: number;
  readonly end: number;
  #time: number;
  #speed = 1;
  #playing = false;
  #loop = false;
  /** Timestamp of the frame before [ms]; null where there is none to count from. */
  #stamp: number | null = null;
  readonly #listeners = new Set<Listener>();

  constructor(start: number, end: number) {
    this.start = start;
    this.end = Math.max(start, end);
    this.#time = start;
  }

  get time(): number {
    return this.#time;
  }

  set time(time: number) {
    this.seek(time);
  }

  get playing(): boolean {
    return this.#playing;
  }

  /** Seconds of motion in a second; negative plays backwards. Its size is kept between 0.05 and 8. */
  get speed(): number {
    return this.#speed;
  }

  set speed(speed: number) {
    if (!Number.isFinite(speed) || speed === 0) return;
    this.#speed = Math.sign(speed) * Math.min(FASTEST, Math.max(SLOWEST, Math.abs(speed)));
    this.#tell();
  }

  get loop(): boolean {
    return this.#loop;
  }

  set loop(loop: boolean) {
    this.#loop = loop;
    this.#tell();
  }

  /** Play from here, or all over again where the way is at its end. */
  play(): void {
    if (this.#playing || this.end === this.start) return;
    if (this.#speed > 0 && this.#time >= this.end) this.#time = this.start;
    if (this.#speed < 0 && this.#time <= this.start) this.#time = this.end;
    this.#playing = true;
    this.#stamp = null;
    this.#tell();
  }

  pause(): void {
    if (!this.#playing) return;
    this.#playing = false;
    this.#tell();
  }

  toggle(): void {
    if (this.#playing) this.pause();
    else this.play();
  }

  /** Go to a time, held within the span; playing goes on from there. */
  seek(time: number): void {
    if (Number.isNaN(time)) return;
    this.#time = this.#held(time);
    this.#tell();
  }

  /** Pause and move by frames as they are shown at the present speed. */
  step(frames: number): void {
    this.#playing = false;
    this.#time = this.#held(this.#time + (frames * Math.abs(this.#speed)) / FRAME_RATE);
    this.#tell();
  }

  /** Advance to an animation frame's timestamp [ms]. */
  tick(timestamp: number): void {
    if (!this.#playing) return;
    const passed = this.#stamp === null ? 0 : Math.max(0, timestamp - this.#stamp) / 1000;
    this.#stamp = timestamp;
    this.#advance(this.#speed * passed);
    this.#tell();
  }

  /** Forget the last timestamp: what passes until the next frame is not counted (a hidden page). */
  suspend(): void {
    this.#stamp = null;
  }

  /** Call `listener` after every change of the time or of how it runs; returns what ends that. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #advance(by: number): void {
    const to = this.#time + by;
    if (to >= this.start && to <= this.end) {
      this.#time = to;
    } else if (this.#loop) {
      const span = this.end - this.start;
      this.#time = this.start + ((((to - this.start) % span) + span) % span);
    } else {
      this.#time = this.#held(to);
      this.#playing = false;
    }
  }

  #held(time: number): number {
    return Math.min(this.end, Math.max(this.start, time));
  }

  #tell(): void {
    for (const listener of this.#listeners) listener(this.#time);
  }
}

/** Where frames come from; a browser's own unless a test gives others. */
export interface FrameSource {
  request(callback: (timestamp: number) => void): number;
  cancel(handle: number): void;
}

/**
 * Tick a clock once a frame for as long as it plays. Call once for each clock; returns what ends it.
 * No frame is asked for while it is paused.
 */
export function drive(clock: Clock, frames: FrameSource = browserFrames()): () => void {
  let handle: number | null = null;
  const frame = (timestamp: number): void => {
    handle = null;
    clock.tick(timestamp);
    ask();
  };
  const ask = (): void => {
    if (clock.playing && handle === null) handle = frames.request(frame);
  };
  const unsubscribe = clock.subscribe(ask);
  const forget = (): void => clock.suspend();
  const page = typeof document === "undefined" ? null : document;
  page?.addEventListener("visibilitychange", forget);
  ask();
  return () => {
    unsubscribe();
    page?.removeEventListener("visibilitychange", forget);
    if (handle !== null) frames.cancel(handle);
    handle = null;
  };
}

function browserFrames(): FrameSource {
  return {
    request: (callback) => requestAnimationFrame(callback),
    cancel: (handle) => cancelAnimationFrame(handle),
  };
}
