import { beforeAll, describe, expect, it } from "vitest";
import { FREE_JOINT, rod, type ArmNumbers } from "../src/playground/numbers";
import { FragmentError, fromFragment, History, stateOf, toFragment, type PlayState } from "../src/playground/state";
import { stubModels } from "./models-stub";

beforeAll(stubModels);

const ARM: ArmNumbers = {
  name: "a & b = 50 % of #1, äöü + \"c\"",
  links: [rod(0.5, 1), { length: 0.25, mass: 0.3, com: 0.1, comOffset: -0.01, inertia: 2e-3, tipMass: 0.4 }],
  joints: [FREE_JOINT, { damping: 0.02, rotorInertia: 1e-5, gearRatio: -30, maxTorque: 2.5, lower: null, upper: 1.75 }],
  gravity: [0.5, -9.5],
  payload: 0.125,
  payloadInertia: 1e-3,
};

function rich(): PlayState {
  const state = stateOf(ARM, [0.25, -1.5]);
  return {
    ...state,
    qd: [1, -2],
    torque: [0, 0.5],
    control: { law: "pd", gravity: true, kp: [10, 20], kd: [1, 2], frequency: 7.5, dampingRatio: 0.75 },
    setPoint: [0.5, 0.125],
    path: { kind: "stroke", points: [{ x: 0.1, y: 0.2 }, { x: 0.3, y: -0.25 }, { x: 0.5, y: 0 }], speed: 0.4 },
    companion: "sequential",
    speed: 0.25,
    orientationHeld: true,
  };
}

function refused(fragment: string): string {
  try {
    fromFragment(fragment);
  } catch (error) {
    if (error instanceof FragmentError) return error.message;
    throw error;
  }
  throw new Error(`${fragment} was read`);
}

it("cuts long names between letters, so that an address can hold them", () => {
  for (const name of ["😀".repeat(300), `a${"😀".repeat(300)}`]) {
    const read = fromFragment(toFragment({ ...stateOf({ ...ARM, name }, [0, 0]) }));
    expect(read?.arm.name).toBe(Array.from(name).slice(0, 200).join(""));
    expect(decodeURIComponent(encodeURIComponent(read?.arm.name ?? ""))).toBe(read?.arm.name);
  }
});

describe("a state in an address", () => {
  it("comes back as it was", () => {
    expect(fromFragment(`#${toFragment(rich())}`)).toEqual(rich());
  });

  it("leaves out what is as usual", () => {
    const plain = stateOf({ ...ARM, name: "", links: [rod(1, 2)], joints: [FREE_JOINT], gravity: [0, -9.81], payload: 0, payloadInertia: 0 }, [0.5]);
    expect(toFragment(plain)).toBe("arm=&l=1&m=2&g=0,-9.81&q=0.5&kp=290&kd=48&w=12&z=1");
    expect(fromFragment(toFragment(plain))).toEqual(plain);
  });

  it("carries loops, and limits that are none", () => {
    const state = { ...rich(), path: { kind: "loops", radius: 0.79, loopRadius: 0.2, loops: 13, duration: 60 } as const };
    const again = fromFragment(toFragment(state));
    expect(again?.path).toEqual(state.path);
    expect(again?.arm.joints.map((joint) => joint.upper)).toEqual([null, 1.75]);
  });

  it("keeps all digits of an arm, and nine of its posture", () => {
    const again = fromFragment(toFragment(stateOf({ ...ARM, gravity: [1 / 3, -1 / 7] }, [1 / 3, -Math.PI]))) as PlayState;
    expect(again.arm.gravity).toEqual([1 / 3, -1 / 7]);
    expect(again.q[0]).toBeCloseTo(1 / 3, 9);
    expect(again.q[1]).toBeCloseTo(-Math.PI, 8);
  });

  it("is none where no lengths are given", () => {
    expect(fromFragment("")).toBeNull();
    expect(fromFragment("#section-3")).toBeNull();
  });

  it.each([
    ["l=1,1,1,1,1", "l: 5 lengths, need 1 to 4"],
    ["l=", "l: got , need some numbers"],
    ["l=1,x", "l: got 1,x, need some numbers"],
    ["l=1e999", "l: got 1e999, need some numbers"],
    ["l=1,1&m=1", "m: got 1, need 2 numbers"],
    ["l=1&m=-1", "m1: got -1, need 0 to 1000000"],
    ["l=1&m=0", "m: a link that nothing hangs on has no mass"],
    ["l=1e5", "l1: got 100000, need 0.0001 to 10000"],
    ["l=1&c=1e300", "c1: got 1e+300, need -10000 to 10000"],
    ["l=1&g=1e308,0", "g: got 1e+308, need -10000 to 10000"],
    ["l=1&q=1e300", "q: got 1e+300, need -1000000 to 1000000"],
    ["l=1&lower=2&upper=1", "lower: got 2, need at most 1"],
    ["l=1&law=magic", "law: got magic, need one of off, pd, computed-torque, open-loop"],
    ["l=1&speed=100", "speed: got 100, need 0.01 to 8"],
    ["l=1&path=circle,1", "path: need loops,R,r,k,T or stroke,speed,x,y,…"],
    ["l=1&path=stroke,1,0,0", "path: need loops,R,r,k,T or stroke,speed,x,y,…"],
    ["l=1&path=stroke,1,NaN,0,1,1,2,2", "path: not numbers"],
    ["l=1&m=1,2", "m: got 1,2, need 1 number"],
    ["l=1&qd=1e300", "qd: got 1e+300"],
    ["l=1&kp=1e308&law=pd", "kp: got 1e+308"],
    ["l=1&tau=1e308", "tau: got 1e+308"],
    ["l=1&N=1e300&J=1", "N: got 1e+300"],
    ["l=1&beside=%3Cb%3E", "beside: got <b>"],
    ["l=1&path=loops,1e300,1,13,60", "path"],
  ])("refuses %s", (fragment, message) => {
    expect(refused(fragment)).toContain(message);
  });

  it.each(["%E0%A4%A", "nothing=here", "l=1&unknown=1", "l=1&max=0&law=pd", "l=1&path=stroke,1,0,0,0,0,0,0"])("is not troubled by %s", (fragment) => {
    expect(() => fromFragment(fragment)).not.toThrow();
  });

  it("tells of long text by its beginning", () => {
    expect(refused(`l=${"9,".repeat(1e5)}`).length).toBeLessThan(100);
    expect(fromFragment(`l=1&arm=${"x".repeat(1e5)}`)?.arm.name.length).toBe(200);
  });
});

describe("History", () => {
  const at = (q: number): PlayState => stateOf({ ...ARM, links: [rod(1, 1)], joints: [FREE_JOINT] }, [q]);

  it("goes back and forth", () => {
    const history = new History();
    history.record(at(0));
    history.record(at(1));
    expect(history.undo(at(2))?.q).toEqual([1]);
    expect(history.undo(at(1))?.q).toEqual([0]);
    expect(history.canUndo).toBe(false);
    expect(history.undo(at(0))).toBeNull();
    expect(history.redo(at(0))?.q).toEqual([1]);
    expect(history.redo(at(1))?.q).toEqual([2]);
    expect(history.canRedo).toBe(false);
  });

  it("forgets what was undone once something else is done", () => {
    const history = new History();
    history.record(at(0));
    history.undo(at(1));
    history.record(at(0));
    expect(history.canRedo).toBe(false);
  });

  it("keeps the last two hundred", () => {
    const history = new History();
    for (let k = 0; k < 300; k++) history.record(at(k));
    let last: PlayState | null = null;
    for (let back = history.undo(at(300)); back; back = history.undo(back)) last = back;
    expect(last?.q).toEqual([100]);
  });
});
