import { beforeAll, describe, expect, it } from "vitest";
import { mechanismOf, type Mechanism } from "../src/playground/models";
import { FREE_JOINT, rod, type ArmNumbers } from "../src/playground/numbers";
import { evenlySpaced, planTrajectory, type Point, quintic, smoothStroke } from "../src/playground/trajectory";
import { stubModels } from "./models-stub";

beforeAll(stubModels);

function armOf(...lengths: number[]): ArmNumbers {
  return { name: "", links: lengths.map((length) => rod(length, 1)), joints: lengths.map(() => FREE_JOINT), gravity: [0, 0], payload: 0, payloadInertia: 0 };
}

function tipAt({ model, letters }: Mechanism, q: readonly number[]): [number, number] {
  return model.tip(letters, q).slice(0, 2) as [number, number];
}

function circle(count: number, radius: number, tremble = 0): Point[] {
  return Array.from({ length: count }, (_, i) => {
    const turn = (1.5 * Math.PI * i) / (count - 1);
    const away = radius + tremble * Math.sin(97 * i);
    return { x: 0.5 + away * Math.cos(turn), y: 0.3 + away * Math.sin(turn) };
  });
}

describe("evenlySpaced", () => {
  it("divides a polyline into equal parts, ends included", () => {
    const points = evenlySpaced([{ x: 0, y: 0 }, { x: 1, y: 0 }, { x: 1, y: 3 }], 5);
    expect(points).toEqual([{ x: 0, y: 0 }, { x: 1, y: 0 }, { x: 1, y: 1 }, { x: 1, y: 2 }, { x: 1, y: 3 }]);
  });
});

describe("smoothStroke", () => {
  it("takes the trembling out and keeps the ends", () => {
    const drawn = circle(120, 0.2, 0.01);
    const smooth = smoothStroke(drawn, 0.01) as Point[];
    const off = smooth.slice(2, -2).map(({ x, y }) => Math.abs(Math.hypot(x - 0.5, y - 0.3) - 0.2));
    expect(Math.max(...off)).toBeLessThan(0.004);
    expect(smooth[0]).toEqual(drawn[0]);
    expect(smooth[smooth.length - 1]?.x).toBeCloseTo(drawn[119]?.x ?? 0, 12);
  });

  it("is nothing where a finger hardly moved", () => {
    expect(smoothStroke([{ x: 0, y: 0 }, { x: 0.001, y: 0 }, { x: 0.002, y: 0 }], 0.05)).toBeNull();
    expect(smoothStroke([{ x: 0, y: 0 }], 0.05)).toBeNull();
  });
});

describe("planTrajectory", () => {
  it("leads the tip along the path from rest to rest, at most as fast as asked", () => {
    const mechanism = mechanismOf(armOf(0.5, 0.4));
    const points = circle(30, 0.2);
    const plan = planTrajectory(mechanism, { kind: "stroke", points, speed: 0.4 }, [0.3, 0.8]);
    expect(plan.unreachable).toBe(0);
    expect(plan.length).toBeCloseTo(1.5 * Math.PI * 0.2, 2);
    for (const time of [1, 1.5, 2, 3, plan.duration]) {
      const [x, y] = tipAt(mechanism, plan.at(time).q);
      expect(Math.hypot(x - 0.5, y - 0.3)).toBeCloseTo(0.2, 3);
    }
    for (const time of [0, plan.duration]) for (const rate of plan.at(time).qd) expect(rate).toBeCloseTo(0, 9);
    const speeds = Array.from({ length: 200 }, (_, k) => {
      const [time, h] = [1 + ((plan.duration - 1) * (k + 0.5)) / 200, 1e-4];
      const [a, b] = [tipAt(mechanism, plan.at(time - h).q), tipAt(mechanism, plan.at(time + h).q)];
      return Math.hypot(b[0] - a[0], b[1] - a[1]) / (2 * h);
    });
    expect(Math.max(...speeds)).toBeLessThan(0.4 * 1.01);
    expect(Math.max(...speeds)).toBeGreaterThan(0.4 * 0.97);
  });

  it("has rates and accelerations that are derivatives of its angles", () => {
    const plan = planTrajectory(mechanismOf(armOf(0.5, 0.4)), { kind: "stroke", points: circle(30, 0.2), speed: 0.4 }, [0.3, 0.8]);
    const h = 1e-5;
    for (const time of [0.4, 1.7, 2.3]) {
      const [before, now, after] = [plan.at(time - h), plan.at(time), plan.at(time + h)];
      now.q.forEach((_, i) => {
        expect(((after.q[i] as number) - (before.q[i] as number)) / (2 * h)).toBeCloseTo(now.qd[i] as number, 5);
        expect(((after.qd[i] as number) - (before.qd[i] as number)) / (2 * h)).toBeCloseTo(now.qdd[i] as number, 3);
      });
    }
  });

  it("goes to the nearest points where a path leaves the reach, and says how far it is", () => {
    const mechanism = mechanismOf(armOf(0.5, 0.4));
    const points = Array.from({ length: 20 }, (_, i) => ({ x: 0.4 + (0.8 * i) / 19, y: 0 }));
    const plan = planTrajectory(mechanism, { kind: "stroke", points, speed: 0.4 }, [0.3, 0.8]);
    expect(plan.unreachable).toBeCloseTo(0.3 / 0.8, 1);
    expect(plan.shortfall).toBeCloseTo(0.3, 6);
    const [x, y] = tipAt(mechanism, plan.at(plan.duration).q);
    expect(x).toBeCloseTo(0.9, 3);
    expect(y).toBeCloseTo(0, 6);
  });

  it.each([3, 4])("leads %i links, whose postures are many", (n) => {
    const mechanism = mechanismOf(armOf(...[0.5, 0.4, 0.3, 0.2].slice(0, n)));
    const plan = planTrajectory(mechanism, { kind: "stroke", points: circle(30, 0.2), speed: 0.4 }, [0.3, 0.8, 0.2, 0.1].slice(0, n));
    for (const time of [1, 2, plan.duration]) {
      const [x, y] = tipAt(mechanism, plan.at(time).q);
      expect(Math.hypot(x - 0.5, y - 0.3)).toBeCloseTo(0.2, 3);
    }
  });

  it("begins loops in motion, where the arm stands", () => {
    const mechanism = mechanismOf(armOf(0.5, 0.5));
    const plan = planTrajectory(mechanism, { kind: "loops", radius: 0.79, loopRadius: 0.2, loops: 13, duration: 60 }, [0.9, 1.4]);
    const [x, y] = tipAt(mechanism, plan.at(0).q);
    expect(x).toBeCloseTo(0, 9);
    expect(y).toBeCloseTo(0.59, 9);
    expect(Math.hypot(...plan.at(0).qd)).toBeGreaterThan(0.1);
    expect(plan.duration).toBe(60);
  });
});

describe("quintic", () => {
  it("goes from 0 to 1 and stays there", () => {
    expect([-1, 0, 0.5, 1, 2].map(quintic)).toEqual([0, 0, 0.5, 1, 1]);
  });
});
