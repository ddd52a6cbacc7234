import { describe, expect, test } from "vitest";
import { type Letters, type Mechanism, type Model } from "../src/playground/models";
import { creepSpeed } from "../src/playground/phase-creep";
import { equilibriaOf, fieldOf, flowOf, intoTurn, type Orbit, portraitOf, trajectoryOf, TURN, unrolled, wrapAngle } from "../src/playground/phase";
import { fateText, portraitLabel } from "../src/playground/phase-text";

/** A point mass m on a rod of length l with damping b, gravity g in the direction `down`. */
function pendulum(m: number, l: number, b: number, g = 9.81, down = -Math.PI / 2): Mechanism {
  const inertia = m * l * l;
  const weigh = (q: number): number => m * g * l * Math.sin(q - down);
  const accelerate = (q: number, qd: number, tau: number): number => (tau - b * qd - weigh(q)) / inertia;
  const unused = (): never => {
    throw new Error("a portrait does not need this");
  };
  const model: Model = {
    links: 1,
    letters: [],
    joints: unused,
    tip: unused,
    jacobian: unused,
    massMatrix: () => [[inertia]],
    coriolisMatrix: () => [[0]],
    gravityTorque: (_, q) => [weigh(q[0] as number)],
    inverseDynamics: (_, q, qd, qdd) => [inertia * (qdd[0] as number) + b * (qd[0] as number) + weigh(q[0] as number)],
    forwardDynamics: (_, q, qd, tau) => [accelerate(q[0] as number, qd[0] as number, tau[0] as number)],
    kineticEnergy: unused,
    potentialEnergy: unused,
    step: (_, q, qd, tau, dt) => {
      const [x, v, u] = [q[0] as number, qd[0] as number, tau[0] as number];
      const a1 = accelerate(x, v, u);
      const v2 = v + (dt / 2) * a1;
      const a2 = accelerate(x + (dt / 2) * v, v2, u);
      const v3 = v + (dt / 2) * a2;
      const a3 = accelerate(x + (dt / 2) * v2, v3, u);
      const v4 = v + dt * a3;
      const a4 = accelerate(x + dt * v3, v4, u);
      return [[x + (dt / 6) * (v + 2 * v2 + 2 * v3 + v4)], [v + (dt / 6) * (a1 + 2 * a2 + 2 * a3 + a4)]];
    },
  };
  return { arm: null as unknown as Mechanism["arm"], model, letters: {} as Letters };
}

const degrees = (angle: number): number => (angle * 180) / Math.PI;

describe("equilibria", () => {
  test("without torque the joint hangs and stands", () => {
    const [hanging, standing] = equilibriaOf(flowOf(pendulum(1, 1, 0), 0));
    expect(hanging).toMatchObject({ kind: "centre" });
    expect(hanging?.angle).toBeCloseTo(-Math.PI / 2, 14);
    expect(standing).toMatchObject({ kind: "saddle" });
    expect(standing?.angle).toBeCloseTo(Math.PI / 2, 14);
    // λ = ±√(g/l)
    expect(standing?.rates[0]).toBeCloseTo(Math.sqrt(9.81), 12);
    expect(standing?.rates[1]).toBeCloseTo(-Math.sqrt(9.81), 12);
  });

  test("lie where torque and weight balance, whatever way gravity pulls", () => {
    for (const [torque, down] of [[4, -Math.PI / 2], [-7, 0.3], [2, 3]] as const) {
      const mechanism = pendulum(0.7, 1.2, 0.2, 9.81, down);
      const found = equilibriaOf(flowOf(mechanism, torque));
      expect(found).toHaveLength(2);
      for (const { angle } of found) expect(mechanism.model.gravityTorque({}, [angle])[0]).toBeCloseTo(torque, 11);
    }
  });

  test("of damping: a focus, then a node; of negative damping an unstable one", () => {
    const kindOf = (b: number): string | undefined => equilibriaOf(flowOf(pendulum(1, 1, b), 0))[0]?.kind;
    // critical at b = 2 √(g/l) m l²
    expect(kindOf(6.2)).toBe("stable focus");
    expect(kindOf(6.3)).toBe("stable node");
    expect(kindOf(-0.1)).toBe("unstable focus");
  });

  test("meet at a torque of the whole weight, and are none above", () => {
    expect(equilibriaOf(flowOf(pendulum(1, 1, 0.2), 9.81)).map((one) => one.kind)).toEqual(["degenerate"]);
    expect(equilibriaOf(flowOf(pendulum(1, 1, 0.2), 9.82))).toEqual([]);
  });
});

describe("separatrices", () => {
  test("of an undamped pendulum keep the energy of the saddle: q̇ = ±2 √(g/l) sin(x/2)", () => {
    const { separatrices } = portraitOf(pendulum(1, 1, 0), 0);
    expect(separatrices).toHaveLength(4);
    for (const { saddle, orbit } of separatrices) {
      orbit.q.forEach((q, k) => {
        const speed = 2 * Math.sqrt(9.81) * Math.abs(Math.sin((q - saddle.angle) / 2));
        expect(Math.abs(Math.abs(orbit.qd[k] as number) - speed)).toBeLessThan(1e-6 * Math.sqrt(9.81));
      });
      // each comes round to the next saddle
      expect(Math.abs((orbit.q.at(-1) as number) - saddle.angle)).toBeCloseTo(TURN, 2);
    }
  });

  test("under a torque an undamped one returns to its own saddle, the other leaves the picture", () => {
    const { separatrices, fastest } = portraitOf(pendulum(1, 1, 0), 4);
    const ends = separatrices.map(({ saddle, orbit }) => [(orbit.q.at(-1) as number) - saddle.angle, Math.abs(orbit.qd.at(-1) as number)] as const);
    expect(ends.filter(([away]) => Math.abs(away) < 0.01)).toHaveLength(2);
    expect(ends.filter(([, speed]) => speed >= fastest)).toHaveLength(2);
  });

  test("with damping lose energy forwards and gain it backwards", () => {
    const energy = ({ q, qd }: Orbit, k: number): number => (qd.at(k) as number) ** 2 / 2 + 9.81 * Math.sin(q.at(k) as number);
    for (const { incoming, orbit } of portraitOf(pendulum(1, 1, 0.2), 0).separatrices) {
      expect(Math.sign(energy(orbit, -1) - energy(orbit, 0))).toBe(incoming ? 1 : -1);
    }
  });

  test("are drawn by points at most some pixels from the curve between them", () => {
    // half a pixel of a picture of 700 by 400 pixels: the middle of a chord beside the orbit from its first end
    const mechanism = pendulum(1, 1, 0.2);
    const { separatrices, fastest } = portraitOf(mechanism, 4);
    const [x, y] = [700 / TURN, 200 / fastest];
    for (const { orbit } of separatrices) {
      for (let k = 1; k < orbit.q.length; k++) {
        const [q, qd, dt] = [orbit.q[k - 1] as number, orbit.qd[k - 1] as number, (orbit.t[k] as number) - (orbit.t[k - 1] as number)];
        const [half, halfSpeed] = mechanism.model.step({}, [q], [qd], [4], dt / 2);
        const [dx, dy] = [((orbit.q[k] as number) - q) * x, ((orbit.qd[k] as number) - qd) * y];
        const across = ((half[0] as number) - q) * x * dy - ((halfSpeed[0] as number) - qd) * y * dx;
        expect(Math.abs(across) / (Math.hypot(dx, dy) || 1)).toBeLessThan(0.5);
      }
    }
  });
});

describe("running solution", () => {
  test("is as fast as the torque drives it against damping: the mean over the angle is τ/b", () => {
    for (const [b, torque] of [[0.2, 4], [0.2, -4], [0.5, 12], [0.01, 1]] as const) {
      const { running } = portraitOf(pendulum(1, 1, b), torque);
      const { q, qd } = running?.orbit as Orbit;
      let area = 0;
      for (let k = 1; k < q.length; k++) area += (((qd[k] as number) + (qd[k - 1] as number)) / 2) * ((q[k] as number) - (q[k - 1] as number));
      expect(Math.abs(area) / TURN).toBeCloseTo(Math.abs(torque) / b, 1);
      expect(running?.direction).toBe(Math.sign(torque));
      expect(q.at(-1)).toBeCloseTo((q[0] as number) + Math.sign(torque) * TURN, 10);
      expect((qd.at(-1) as number) / (qd[0] as number)).toBeCloseTo(1, 10);
    }
  });

  test("without gravity is steady", () => {
    const { running, equilibria } = portraitOf(pendulum(1, 1, 0.2, 0), 1);
    expect(equilibria).toEqual([]);
    expect(running?.mean).toBeCloseTo(5, 10);
  });

  test("is none without torque, without damping, or where damping stops the joint at every top", () => {
    expect(portraitOf(pendulum(1, 1, 0.2), 0).running).toBeNull();
    expect(portraitOf(pendulum(1, 1, 0), 4).running).toBeNull();
    // of little damping the least torque is 4 b √(g/l) / π: 0.797 N·m of b = 0.2, to a few per cent
    expect(portraitOf(pendulum(1, 1, 0.2), 0.77).running).toBeNull();
    expect(portraitOf(pendulum(1, 1, 0.2), 0.83).running).not.toBeNull();
  });

  test("is found at the torque of the whole weight", () => {
    for (const torque of [9.81, 9.81 * (1 - 1e-9), 9.81 * (1 + 1e-9)]) {
      expect(portraitOf(pendulum(1, 1, 0.2), torque).running?.mean).toBeCloseTo(49.05, 1);
    }
  });
});

describe("degenerate arms", () => {
  test("without gravity and torque the joint rests anywhere", () => {
    const portrait = portraitOf(pendulum(1, 1, 0.2, 0), 0);
    expect(portrait).toMatchObject({ restsAnywhere: true, equilibria: [], separatrices: [], running: null });
    expect(Number.isFinite(portrait.fastest)).toBe(true);
  });

  test("of no mass or no number the portrait is empty", () => {
    for (const mechanism of [pendulum(0, 1, 0), pendulum(Number.NaN, 1, 0)]) {
      expect(portraitOf(mechanism, 1)).toMatchObject({ equilibria: [], separatrices: [], running: null });
    }
  });

  test("with so much damping that it creeps: q̇ = (τ − G)/b, less the inertia's share", () => {
    const b = 400;
    const flow = flowOf(pendulum(1, 1, b), 2);
    for (const q of [-2, 0, 1]) {
      const [f, slope] = [2 - 9.81 * Math.cos(q), 9.81 * Math.sin(q)];
      // the next term is some f slope²/b⁵ = 2e-10
      expect(creepSpeed(flow, q)).toBeCloseTo((f / b) * (1 - slope / b ** 2), 9);
    }
    const { separatrices } = portraitOf(pendulum(1, 1, b), 2);
    const rest = -Math.acos(2 / 9.81);
    for (const { incoming, orbit } of separatrices) if (!incoming) expect(wrapAngle((orbit.q.at(-1) as number) - rest)).toBeCloseTo(0, 9);
  });

  test("have orbits of bounded length", () => {
    for (const [b, torque] of [[0, 9.8099999], [1e-6, 9.80], [20, 9.8099], [30, 9.8101], [1e4, 3]] as const) {
      const { separatrices } = portraitOf(pendulum(1, 1, b), torque);
      for (const { orbit } of separatrices) expect(orbit.q.length).toBeLessThan(5000);
    }
  });
});

describe("picture", () => {
  test("holds separatrices and a running solution that is not far off", () => {
    const { fastest, running } = portraitOf(pendulum(1, 1, 0.2), 4);
    expect(fastest).toBeGreaterThan(running?.fastest as number);
    expect(portraitOf(pendulum(1, 1, 0), 0).fastest).toBeGreaterThan(2 * Math.sqrt(9.81));
  });

  test("is of the turn around where the arm hangs", () => {
    for (const down of [-Math.PI / 2, 0, 2]) {
      const { left } = portraitOf(pendulum(1, 1, 0.2, 9.81, down), 0);
      expect(degrees(wrapAngle(left + Math.PI - down))).toBeCloseTo(0, 9);
    }
  });

  test("trajectories end where they rest, or beyond the picture", () => {
    const portrait = portraitOf(pendulum(1, 1, 2), 0);
    expect(wrapAngle(trajectoryOf(portrait, 1, 0).q.at(-1) as number)).toBeCloseTo(-Math.PI / 2, 2);
    const faster = trajectoryOf(portraitOf(pendulum(1, 1, 0), 20), 0, 0);
    expect(faster.qd.at(-1)).toBeGreaterThan(portrait.fastest);
    const creeping = trajectoryOf(portraitOf(pendulum(1, 1, 300), 0), 1, 5);
    expect(wrapAngle(creeping.q.at(-1) as number)).toBeCloseTo(-Math.PI / 2, 9);
  });

  test("the field is that of the joint", () => {
    const portrait = portraitOf(pendulum(1, 1, 0.2), 4);
    const field = fieldOf(portrait, 5, 4);
    expect(field).toHaveLength(20);
    for (const { q, qd, qdd } of field) expect(qdd).toBeCloseTo(4 - 0.2 * qd - 9.81 * Math.cos(q), 12);
  });

  test("lines go to the seam and on from the other side", () => {
    const left = -Math.PI;
    const { x, y } = unrolled([3, 3.5, 3.6], [1, 2, 2], left);
    const share = (Math.PI - 3) / 0.5;
    expect(x).toEqual([3, left + TURN, Number.NaN, left, 3.5 - TURN, 3.6 - TURN]);
    expect(y[1]).toBeCloseTo(1 + share, 12);
    expect(y[3]).toBe(y[1]);
    expect(unrolled([-3, -3.5], [-1, -1], left).x).toEqual([-3, left, Number.NaN, left + TURN, -3.5 + TURN]);
    // an angle is shown once, wherever it is counted from
    expect(intoTurn(7 * Math.PI, left)).toBeCloseTo(-Math.PI, 12);
  });
});

describe("words", () => {
  const said = (b: number, torque: number, g = 9.81): string => fateText(portraitOf(pendulum(1, 1, b, g), torque));

  test("tell what becomes of the joint", () => {
    expect(said(0.2, 0)).toBe("It settles at −90.0° from almost every start.");
    // the mean over time is a little less than τ/b
    expect(said(0.2, 4)).toBe("It settles at −65.9° or runs on at 20.0 rad/s, depending on where it starts.");
    expect(said(0, 0)).toBe("It swings about −90.0° inside the separatrices, and turns over and over outside.");
    expect(said(0, 4)).toBe("It swings about −65.9° inside the separatrix, and turns ever faster outside.");
    expect(said(0, 20)).toBe("Nothing holds it: it turns ever faster.");
    expect(said(0.2, -50)).toBe("Nothing holds it: it runs on at −250 rad/s from every start.");
    expect(said(0.2, 0, 0)).toBe("Without gravity it comes to rest at any angle.");
  });

  test("describe the picture to those who do not see it", () => {
    expect(portraitLabel(portraitOf(pendulum(1, 1, 0.2), 4))).toContain("stable focus at −65.9°, saddle at 65.9°.");
    expect(portraitLabel(portraitOf(pendulum(1, 1, 0.2), 50))).toMatch(/no equilibrium\..*faster than the picture goes\.$/);
  });
});
