"""Formulas and calls as text: torques, stops, controllers, quantities with units."""

TORQUES = [
    "3 N*m", "5*sin(2*pi*t)", "-2*q1 - 0.1*qd1", "clip(10*t, -1, 1)**2 % 3",
    "1 if t < 0.01 else x*y",
]  # fmt: skip
STOPS = ["y < 0", "q1 > 1 and t > 0.01", "t >= 0.015", "abs(qd1) > 3"]
FORCES = ["1 N, 0 N", "0, 0, 1 N*m", "sin(t), x"]
PIECES = [
    "t", "q1", "qd1", "q9", "x", "pi", "e", "sin(", "min(", "clip(", "atan2(", ")", "(", ",", ";",
    "+", "-", "*", "/", "**", "%", "<", "<=", "==", " if ", " else ", " and ", " not ", "1e3",
    "1e308", "0", ".", "N*m", "kg", "**9**9", "/0", "sqrt(-1)", "log(0)", "t**t**t", "exp(800)",
    "-" * 200, "abs(" * 60, "0.1", "=", ":=", "[0]", "lambda t: ",
]  # fmt: skip


def test_no_formula_brings_ulna_down(fuzz, tools):
    # Steps of a fixed size, so that what a formula does to the motion does not make it take long.
    start = ("simulate", "bechard-1", "--duration", "0.02 s", "--method", "rk4")

    def case(torque, stop, force, angle):
        words = [f"--q0={angle}", f"--torque={torque}", f"--until={stop}", f"--tip-force={force}"]
        return tools.case(*start, *words)

    def draw(dice):
        words = [dice.choice(TORQUES), dice.choice(STOPS), dice.choice(FORCES), "10 deg"]
        chosen = dice.choice([0, 0, 0, 1, 2, 3])
        words[chosen] = tools.mutated(dice, words[chosen], PIECES)
        return case(*words)

    examples = [case(torque, "t < 0", "1 N, 0 N", "10 deg") for torque in TORQUES]
    fuzz(examples, draw, 45)
