"""Paths: calls as text, and points in .csv files."""

CALLS = [
    "circle(center=(0.9, 0.3), radius='5 cm')", "line((1, 0), (0.8, 0.4))",
    "arc(radius=1, start=0.1, end=1)", "polyline([(1, 0), (1.2, 0.2), (1, 0.4)], blend=0.05)",
    "spline([(1, 0), (1.1, 0.1), (1, 0.3)], times=(0, 1, 2))",
    "then(line((1, 0), (1, 0.2)), line((1, 0.2), (0.8, 0.2)))",
    "repeated(circle(center=(1, 0)), 2)",
    "placed(scaled(rose(petals=3), 0.5), at=(1, 0.2), angle='30 deg')",
    "reversed(ellipse(center=(1, 0)))", "rounded(polyline([(1, 0), (1.2, 0.2), (1, 0.4)]), 0.02)",
    "joints([(0.1, 0.2), (0.3, 0.4)])", "loops(radius=0.79, loop_radius=0.2, loops=13)",
    "csv('points.csv')", "csv('points.csv', unit='cm', closed=True)",
]  # fmt: skip
POINTS = "x,y\n1.0,0.0\n1.1,0.1\n1.0,0.3\n0.9,0.35\n"
TIMED = "t,x,y\r\n0,1,0\r\n0.5,1.1,0.1\r\n1.5,1.0,0.3\r\n"
PIECES = [
    "circle(", "then(", "repeated(", "(", ")", "((", ",", "=", "radius=", "center=", "blend=",
    "times=", "closed=True", "'5 cm'", "(1, 0)", "[]", "1e-9", "-1", "0", "nan", "None",
    "'points.csv'", "'..'", "csv('points.csv')", "1e9", "2.5",
]  # fmt: skip
CELLS = [
    "nan", "inf", "1e308", "", "x", '"', "\n", ",", ";", "\t", "1.0,0.0\n", "=1+1", "t,", "x [m]",
    "\ufeff", "-", "1e-320", "\r", " ",
]  # fmt: skip


def test_no_path_brings_ulna_down(fuzz, tools):
    def case(path, points=POINTS):
        words = ["plan", "unit", path, "--duration", "1 s", "--out", "plan"]
        files = {"points.csv": points if isinstance(points, bytes) else tools.encoded(points)}
        return tools.case(*words, files=files, outputs=["plan"])

    def draw(dice):
        if dice.random() < 0.5:
            return case(tools.mutated(dice, dice.choice(CALLS), PIECES, most=2))
        points = tools.mutated(dice, dice.choice([POINTS, TIMED]), CELLS)
        raw = tools.encoded(points)
        return case("points.csv", tools.damaged(dice, raw, 1) if dice.random() < 0.2 else raw)

    examples = [case(CALLS[0]), case("points.csv"), case("points.csv", TIMED)]
    fuzz(examples, draw, 25)
