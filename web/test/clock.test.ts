import { describe, expect, it } from "vitest";
import { Clock, drive, type FrameSource } from "../src/clock";

/** Play a clock through frames at these timestamps [ms]. */
function play(clock: Clock, ...timestamps: number[]): number[] {
  clock.play();
  return timestamps.map((timestamp) => {
    clock.tick(timestamp);
    return clock.time;
  });
}

describe("time", () => {
  it("follows timestamps, not a count of frames", () => {
    const smooth = new Clock(0, 100);
    const slow = new Clock(0, 100);
    play(smooth, ...Array.from({ length: 61 }, (_, i) => 5000 + (i * 1000) / 60));
    play(slow, 5000, 5700, 6000);
    expect(smooth.time).toBeCloseTo(1, 12);
    expect(slow.time).toBeCloseTo(1, 12);
  });

  it.each([0.05, 0.1, 1, 3, 8, -0.5, -8])("runs at speed %d", (speed) => {
    const clock = new Clock(-100, 100);
    clock.seek(0);
    clock.speed = speed;
    play(clock, 0, 400, 1000);
    expect(clock.time).toBeCloseTo(speed, 12);
  });

  it("does not jump at the first frame, however long the pause before it", () => {
    const clock = new Clock(0, 10);
    play(clock, 0, 100);
    clock.pause();
    expect(play(clock, 9000, 9100)).toEqual([0.1, expect.closeTo(0.2, 12)]);
  });

  it("does not count what passes while the page is hidden", () => {
    const clock = new Clock(0, 10);
    play(clock, 0, 100);
    clock.suspend();
    clock.tick(60_000);
    expect(clock.time).toBeCloseTo(0.1, 12);
  });

  it("never runs back when a timestamp does", () => {
    expect(play(new Clock(0, 10), 100, 90, 100)).toEqual([0, 0, expect.closeTo(0.01, 12)]);
  });

  it("stands while paused", () => {
    const clock = new Clock(0, 10);
    clock.tick(0);
    clock.tick(1000);
    expect(clock.time).toBe(0);
  });
});

describe("ends", () => {
  it("stops exactly at the end, and plays again from the start", () => {
    const clock = new Clock(1, 2);
    play(clock, 0, 5000);
    expect([clock.time, clock.playing]).toEqual([2, false]);
    clock.play();
    expect([clock.time, clock.playing]).toEqual([1, true]);
  });

  it("stops at the start when reversed, and plays again from the end", () => {
    const clock = new Clock(1, 2);
    clock.speed = -1;
    clock.play();
    expect(clock.time).toBe(2);
    play(clock, 0, 5000);
    expect([clock.time, clock.playing]).toEqual([1, false]);
  });

  it("loops both ways without losing time", () => {
    const clock = new Clock(1, 3);
    clock.loop = true;
    play(clock, 0, 2500);
    expect(clock.time).toBeCloseTo(1.5, 12);
    clock.speed = -1;
    clock.tick(3500);
    expect(clock.time).toBeCloseTo(2.5, 12);
    expect(clock.playing).toBe(true);
  });

  it("does not play where there is nothing to play", () => {
    const clock = new Clock(4, 4);
    clock.loop = true;
    expect(play(clock, 0, 1000)).toEqual([4, 4]);
    expect(clock.playing).toBe(false);
  });
});

describe("control", () => {
  it("holds what it is told within the span", () => {
    const clock = new Clock(0, 2);
    clock.seek(7);
    expect(clock.time).toBe(2);
    clock.seek(-7);
    expect(clock.time).toBe(0);
    clock.seek(Number.NaN);
    expect(clock.time).toBe(0);
  });

  it("holds speeds between 0.05 and 8 either way, and refuses none", () => {
    const clock = new Clock(0, 2);
    const shown = [0.001, 100, -0.001, -100].map((speed) => (clock.speed = speed) && clock.speed);
    expect(shown).toEqual([0.05, 8, -0.05, -8]);
    clock.speed = 0;
    clock.speed = Number.NaN;
    expect(clock.speed).toBe(-8);
  });

  it("steps by frames of the present speed and pauses", () => {
    const clock = new Clock(0, 2);
    clock.play();
    clock.step(6);
    expect([clock.time, clock.playing]).toEqual([0.1, false]);
    clock.speed = -0.5;
    clock.step(-6);
    expect(clock.time).toBeCloseTo(0.05, 12);
  });

  it("goes on playing from where it is told", () => {
    const clock = new Clock(0, 9);
    play(clock, 0, 1000);
    clock.seek(5);
    clock.tick(1500);
    expect(clock.time).toBeCloseTo(5.5, 12);
  });

  it("tells of every change until nobody listens", () => {
    const clock = new Clock(0, 9);
    const heard: number[] = [];
    const end = clock.subscribe((time) => heard.push(time));
    clock.seek(3);
    clock.play();
    clock.tick(0);
    clock.pause();
    clock.speed = 2;
    expect(heard).toEqual([3, 3, 3, 3, 3]);
    end();
    clock.seek(4);
    expect(heard).toHaveLength(5);
  });
});

describe("drive", () => {
  function hand(): FrameSource & { next(timestamp: number): void; waiting: number } {
    const queue = new Map<number, (timestamp: number) => void>();
    let handle = 0;
    return {
      request: (callback) => (queue.set(++handle, callback), handle),
      cancel: (which) => void queue.delete(which),
      next: (timestamp) => {
        const now = [...queue.values()];
        queue.clear();
        for (const callback of now) callback(timestamp);
      },
      get waiting() {
        return queue.size;
      },
    };
  }

  it("asks for frames only while playing, one at a time", () => {
    const clock = new Clock(0, 1);
    const frames = hand();
    drive(clock, frames);
    expect(frames.waiting).toBe(0);
    clock.play();
    clock.seek(0.2);
    expect(frames.waiting).toBe(1);
    frames.next(0);
    frames.next(500);
    expect(clock.time).toBeCloseTo(0.7, 12);
    frames.next(2000);
    expect([clock.time, frames.waiting]).toEqual([1, 0]);
  });

  it("lets go when it ends", () => {
    const clock = new Clock(0, 1);
    const frames = hand();
    const end = drive(clock, frames);
    clock.play();
    end();
    clock.seek(0.5);
    expect(frames.waiting).toBe(0);
  });
});
