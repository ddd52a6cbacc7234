import { describe, expect, it } from "vitest";
import { formatQuantity, parseQuantity, type Quantity, QUANTITIES, unitFactor, unitLabel, unitsOf } from "../src/playground/units";

function read(text: string, quantity: Quantity, unit = unitsOf(quantity)[0] ?? ""): number {
  const parsed = parseQuantity(text, quantity, unit);
  if ("problem" in parsed) throw new Error(parsed.problem);
  return parsed.value;
}

function problem(text: string, quantity: Quantity, unit = unitsOf(quantity)[0] ?? ""): string {
  const parsed = parseQuantity(text, quantity, unit);
  if ("value" in parsed) throw new Error(`${text} was read as ${parsed.value}`);
  return parsed.problem;
}

describe("parseQuantity", () => {
  it.each<[string, Quantity, number]>([
    ["12,5 cm", "length", 0.125],
    ["12.5cm", "length", 0.125],
    ["57 cm", "length", 0.57],
    [".5 m", "length", 0.5],
    ["1 foot", "length", 0.3048],
    ["1.2e-3 kg*m^2", "inertia", 1.2e-3],
    ["1.2·10^-3 kg m²", "inertia", 1.2e-3],
    ["1,2 × 10⁻³ kg·m²", "inertia", 1.2e-3],
    ["0.4 kgm²", "inertia", 0.4],
    ["0.4 kgm^2", "inertia", 0.4],
    ["50 g*cm**2", "inertia", 5e-6],
    ["3 N·m", "torque", 3],
    ["3 Nm", "torque", 3],
    ["3 nm", "torque", 3],
    ["300 mNm", "torque", 0.3],
    ["2 kg*cm", "torque", 0.196133],
    ["2 kg*cm", "moment", 0.02],
    ["0.2 kgm", "moment", 0.2],
    ["0.02 Nm*s/rad", "damping", 0.02],
    ["0.02 N*m/(rad/s)", "damping", 0.02],
    ["0,02 Nms", "damping", 0.02],
    ["20 N*m/(rad*s)", "integral-gain", 20],
    ["20 N·m/(rad·s)", "integral-gain", 20],
    ["20 N*m/(s*rad)", "integral-gain", 20],
    ["4 1/s", "rate", 4],
    ["4 s^-1", "rate", 4],
    ["4 rad s⁻¹", "rate", 4],
    ["9,81 m s⁻²", "acceleration", 9.81],
    ["3 N·m·s·rad⁻¹", "damping", 3],
    ["2 Hz", "frequency", 2],
    ["5 J", "energy", 5],
    ["1\u2009200,5 m", "length", 1200.5],
    ["12\u202fcm", "length", 0.12],
    ["1/4 m", "length", 0.25],
    ["0,7", "number", 0.7],
  ])("reads %s of %s", (text, quantity, value) => expect(read(text, quantity)).toBe(value));

  it.each<[string, Quantity, number]>([
    ["30 deg", "angle", Math.PI / 6],
    ["−15°", "angle", -Math.PI / 12],
    ["- 15 °", "angle", -Math.PI / 12],
    ["–15 Degrees", "angle", -Math.PI / 12],
    ["3π/4 rad", "angle", (3 * Math.PI) / 4],
    ["pi/6 rad", "angle", Math.PI / 6],
    ["-pi rad", "angle", -Math.PI],
    ["60 rpm", "rate", 2 * Math.PI],
    ["90 °/s", "rate", Math.PI / 2],
    ["1 turn/s", "rate", 2 * Math.PI],
  ])("reads %s of %s", (text, quantity, value) => expect(read(text, quantity)).toBeCloseTo(value, 14));

  it("takes a bare number in the unit of the field", () => {
    expect(read("12,5", "length", "cm")).toBe(0.125);
    expect(read("90", "angle", "deg")).toBeCloseTo(Math.PI / 2, 15);
    expect(read("90", "angle", "rad")).toBe(90);
  });

  it("says what came, what is needed, and an example", () => {
    expect(problem("12 s", "length")).toBe("“12 s” is a time: a length is needed, such as 25 cm.");
    expect(problem("3 N*m", "inertia")).toBe("“3 N*m” is a torque: a moment of inertia is needed, such as 0.03 kg*m^2.");
    expect(problem("12 parsec", "length")).toBe("“parsec” is not a unit that is known here: a length is needed, such as 25 cm; in m, cm, mm, um.");
    expect(problem("cm", "length")).toBe("“cm” does not begin with a number: a length is needed, such as 25 cm.");
    expect(problem("  ", "angle")).toBe("Nothing is written here: an angle is needed, such as 30 deg.");
    expect(problem("5 m", "number")).toBe("“5 m” is a length: a number without a unit is needed, such as 0.5.");
  });

  it.each(["1,234.5 m", "1.2.3 m", "1e999 m", "NaN m", "1/0 m", "--2 m", "1 2 m", "1 m 2", "2 Mm"])("refuses %s", (text) => {
    expect(problem(text, "length")).toMatch(/: a length is needed, such as 25 cm/);
  });

  it("cuts what is long", () => {
    for (const long of [`1 ${"x".repeat(10_000)}`, `1${" ".repeat(10_000)}x`, "1".repeat(10_000)]) {
      expect(problem(long, "length")).toMatch(/^“.{39}…” is too long to be read: a length is needed/);
    }
    expect(problem(`1 ${"x".repeat(60)}`, "length")).toMatch(/^“x{39}…” is not a unit/);
  });

  it("reads every unit that it offers, as it is printed too", () => {
    for (const quantity of QUANTITIES) {
      for (const unit of unitsOf(quantity)) {
        for (const text of [unit, unitLabel(unit)]) {
          expect(read(`2.5 ${text}`, quantity), `${text} of ${quantity}`).toBeCloseTo(2.5 * unitFactor(unit, quantity), 12);
        }
      }
    }
  });
});

describe("formatQuantity", () => {
  it("writes significant digits and a printed unit", () => {
    expect(formatQuantity(0.57, "cm", 6)).toBe("57 cm");
    expect(formatQuantity(-Math.PI / 12, "deg", 4)).toBe("−15°");
    expect(formatQuantity(0.00123456, "kg*m^2", 3)).toBe("0.00123 kg·m²");
    expect(formatQuantity(20, "N*m/rad/s", 3)).toBe("20 N·m/(rad·s)");
    expect(formatQuantity(-0, "m", 3)).toBe("0 m");
    expect(formatQuantity(0.5, "", 3)).toBe("0.5");
  });

  it("will not guess between quantities", () => {
    expect(() => formatQuantity(1, "kg*m", 3)).toThrow("torque and of moment");
    expect(formatQuantity(1, "kg*m", 3, "moment")).toBe("1 kg·m");
    expect(() => formatQuantity(1, "parsec", 3)).toThrow("no unit parsec");
  });

  it("is undone by parseQuantity", () => {
    for (const quantity of QUANTITIES) {
      for (const unit of unitsOf(quantity)) {
        const text = formatQuantity(-12.345 * unitFactor(unit, quantity), unit, 12, quantity);
        expect(read(text, quantity) / (-12.345 * unitFactor(unit, quantity)), text).toBeCloseTo(1, 10);
      }
    }
  });
});
