import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { addLink, FREE_JOINT, innerReach, removeLink, rod, totalMass, withinStops, withLength, withMass, type ArmNumbers } from "../src/playground/numbers";
import { Session } from "../src/playground/session";
import { stateOf } from "../src/playground/state";
import { stubModels } from "./models-stub";

beforeAll(stubModels);

const ARM: ArmNumbers = { name: "two", links: [rod(0.5, 1), rod(0.4, 0.6)], joints: [FREE_JOINT, FREE_JOINT], gravity: [0, -9.81], payload: 0, payloadInertia: 0 };

let now = 0;
let session: Session;

beforeEach(() => {
  now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => (now += 10));
  session = new Session(stateOf(ARM, [0.5, -1]));
});

function lengthen(by: number): void {
  session.setArm({ ...session.arm, links: session.arm.links.map((link) => withLength(link, link.length + by)) }, "length");
}

describe("undoing", () => {
  it("takes a whole movement of a slider back, and the next one by itself", () => {
    for (let k = 0; k < 20; k++) lengthen(0.01);
    now += 1000;
    lengthen(0.1);
    session.undo();
    expect(session.arm.links[0]?.length).toBeCloseTo(0.7, 12);
    session.undo();
    expect(session.arm.links[0]?.length).toBe(0.5);
    expect(session.canUndo).toBe(false);
  });

  it("takes presses of buttons back one by one, however quick they were", () => {
    session.addLink();
    session.addLink();
    session.addLink();
    expect(session.arm.links.length).toBe(4);
    session.undo();
    expect(session.arm.links.length).toBe(3);
    session.undo();
    expect(session.arm.links.length).toBe(2);
    session.redo();
    expect(session.arm.links.length).toBe(3);
  });

  it("keeps a movement that follows an undo at once", () => {
    session.setPose([1, 1]);
    session.undo();
    session.setPose([2, 2]);
    session.undo();
    expect(session.simulation.q).toEqual([0.5, -1]);
    session.redo();
    expect(session.simulation.q).toEqual([2, 2]);
  });
});

describe("time", () => {
  it("is counted in whole steps, and none is lost between frames", () => {
    session.play();
    for (let k = 0; k < 1000; k++) session.advance(0.0167);
    expect(session.simulation.time).toBeCloseTo(16.7, 3);
    session.pause();
    session.advance(1);
    expect(session.simulation.time).toBeCloseTo(16.7, 3);
  });

  it("slows down, and goes on by a frame or a step", () => {
    session.speed = 0.1;
    session.play();
    session.advance(2);
    expect(session.simulation.time).toBeCloseTo(0.2, 3);
    const before = session.simulation.time;
    session.stepOn(true);
    expect(session.playing).toBe(false);
    expect(session.simulation.time - before).toBeCloseTo(1 / 4000, 12);
  });

  it("goes back to where it was played from last", () => {
    session.setPose([1, 2]);
    session.play();
    session.advance(1);
    session.reset();
    expect(session.playing).toBe(false);
    expect(session.simulation.time).toBe(0);
    expect(session.simulation.q).toEqual([1, 2]);
  });
});

describe("a controller", () => {
  it("holds the arm where it was when it was switched on", () => {
    session.setPose([1, 2]);
    session.setControl({ ...session.simulation.control, law: "pd" });
    expect(session.simulation.setPoint).toEqual([1, 2]);
    session.setSetPoint([0, 0]);
    session.setControl({ ...session.simulation.control, law: "computed-torque" });
    expect(session.simulation.setPoint).toEqual([0, 0]);
  });

  it("follows a path by computed torque, until another set-point is given", () => {
    const points = [{ x: 0.4, y: 0.1 }, { x: 0.5, y: 0.2 }, { x: 0.4, y: 0.3 }];
    session.setPath({ kind: "stroke", points, speed: 0.5 });
    expect(session.simulation.control.law).toBe("computed-torque");
    expect(session.trajectory).not.toBeNull();
    session.setSetPoint([0, 1]);
    expect(session.trajectory).toBeNull();
    expect(session.path).toBeNull();
  });

  it("gets gains for an arm of another number of links", () => {
    session.setControl({ ...session.simulation.control, law: "pd" });
    session.addLink();
    expect(session.simulation.control.law).toBe("pd");
    expect(session.simulation.control.kp.length).toBe(3);
    expect(session.simulation.q.length).toBe(3);
  });
});

describe("an arm", () => {
  it("has one to four links", () => {
    for (let k = 0; k < 5; k++) session.addLink();
    expect(session.arm.links.length).toBe(4);
    for (let k = 0; k < 5; k++) session.removeLink();
    expect(session.arm.links.length).toBe(1);
  });

  it("keeps a rod a rod, to the last digit", () => {
    expect(withLength({ ...rod(0.5, 1), tipMass: 2 }, 0.8)).toEqual({ ...rod(0.8, 1), tipMass: 2 });
    expect(withMass(rod(0.3, 0.7), 1.3)).toEqual(rod(0.3, 1.3));
  });

  it("keeps the shape of any other link", () => {
    const link = { length: 0.5, mass: 2, com: 0.1, comOffset: 0.02, inertia: 0.03, tipMass: 0.4 };
    const doubled = { length: 1, mass: 2, com: 0.2, comOffset: 0.04, inertia: 0.12, tipMass: 0.4 };
    expect(withLength(link, 1)).toEqual(doubled);
    expect(withMass(link, 4)).toEqual({ ...link, mass: 4, inertia: 0.06 });
  });

  it("grows by a rod like the last, and shrinks again", () => {
    expect(addLink(ARM).links[2]).toEqual(rod(0.4, 0.6));
    expect(removeLink(addLink(ARM))).toEqual(ARM);
    expect(totalMass(ARM)).toBeCloseTo(1.6, 12);
  });

  it("cannot reach its base where one link is longer than all others", () => {
    expect(innerReach(ARM)).toBeCloseTo(0.1, 12);
    expect(innerReach(addLink(ARM))).toBe(0);
  });

  it("stays between its stops", () => {
    const joints = [{ ...FREE_JOINT, lower: -1 }, { ...FREE_JOINT, lower: -0.5, upper: 0.5 }];
    expect(withinStops({ ...ARM, joints }, [-2, 2])).toEqual([-1, 0.5]);
    expect(withinStops(ARM, [-20, 20])).toEqual([-20, 20]);
  });
});
