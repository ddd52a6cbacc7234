import { describe, expect, it } from "vitest";
import { pythonLine, robotToml } from "../src/playground/export";
import { FREE_JOINT, rod, type ArmNumbers } from "../src/playground/numbers";

const PLAIN: ArmNumbers = { name: "", links: [rod(1, 2)], joints: [FREE_JOINT], gravity: [0, -9.81], payload: 0, payloadInertia: 0 };

describe("robotToml", () => {
  it("says no more than differs from a rod", () => {
    expect(robotToml(PLAIN)).toBe("format = 1\ngravity = [0.0, -9.81]\n\n[[link]]\nlength = 1.0\nmass = 2.0\n");
  });

  it("writes all that there is, to the last digit", () => {
    const arm: ArmNumbers = {
      ...PLAIN,
      links: [{ ...rod(1 / 3, 1e-7), tipMass: 1e21 }],
      joints: [{ ...FREE_JOINT, lower: -1, damping: 0.1 + 0.2 }],
      payload: 0.5,
      payloadInertia: 1e-9,
    };
    const text = robotToml(arm);
    expect(text).toContain("length = 0.3333333333333333\n");
    expect(text).toContain("mass = 1.0e-7\n");
    expect(text).toContain("tip_mass = 1.0e+21\n");
    expect(text).toContain("joint = { lower = -1.0, damping = 0.30000000000000004 }");
    expect(text).toContain("payload = { mass = 0.5, inertia = 1.0e-9 }");
  });

  it("lets no name end its quotes", () => {
    expect(robotToml({ ...PLAIN, name: 'a"\n\\ b' })).toContain('name = "a\\"\\u000a\\\\ b"\n');
  });
});

describe("pythonLine", () => {
  it("is one call", () => {
    expect(pythonLine(PLAIN)).toBe("arm = ulna.Arm.of([ulna.Link(length=1.0, mass=2.0)], gravity=(0.0, -9.81))");
  });

  it("names joints as soon as one of them is not free", () => {
    const arm = { ...PLAIN, links: [rod(1, 1), rod(1, 1)], joints: [FREE_JOINT, { ...FREE_JOINT, maxTorque: 3 }], name: "x" };
    expect(pythonLine(arm)).toContain('[ulna.Joint(), ulna.Joint(max_torque=3.0)], gravity=(0.0, -9.81), name="x")');
  });
});
