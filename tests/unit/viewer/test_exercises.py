"""Exercises: their answers by other formulas, their numbers, and what a page gets of them."""

import json
import math
import re

import numpy as np
import pytest

from tabular import tabular
from ulna.viewer.exercises import KINDS, Exercise, exercise

SEEDS = range(60)
G = 9.81


def values(made: Exercise) -> dict[str, float]:
    """The answers by their names, of an exercise with one set of them."""
    (row,) = made.answers
    return {one.id: value for one, value in zip(made.asked, row, strict=True)}


def given(made: Exercise) -> dict[str, float]:
    """What the reader is told, by its letter or its first word, in SI units and radians."""
    factors = {"cm": 0.01, "°": math.pi / 180.0}
    told = {}
    for label, text in made.given:
        found = re.fullmatch(r"(-?[\d.]+) ?(.*)", text)
        assert found is not None
        told[re.split(r"[, ]", label)[0]] = float(found[1]) * factors.get(found[2], 1.0)
    return told


@tabular("seed", SEEDS)
def test_both_postures_reach_the_point(seed: int) -> None:
    made = exercise("reach", seed)
    told = given(made)
    assert len(made.answers) == 2
    for q1, q2 in made.answers:
        x = told["l₁"] * math.cos(q1) + told["l₂"] * math.cos(q1 + q2)
        y = told["l₁"] * math.sin(q1) + told["l₂"] * math.sin(q1 + q2)
        assert (x, y) == pytest.approx((told["x"], told["y"]), abs=1e-12)
        assert 30.0 < abs(math.degrees(q2)) < 125.0  # neither straight nor folded
    assert made.answers[0][1] == pytest.approx(-made.answers[1][1])


@tabular("seed", SEEDS)
def test_torques_are_moments_of_the_weights(seed: int) -> None:
    made = exercise("torque", seed)
    told = given(made)
    elbow = told["l₁"] * math.cos(told["q₁"])
    second = told["l₂"] * math.cos(told["q₁"] + told["q₂"])
    weights = (told["m₁"], elbow / 2.0), (told["m₂"], elbow + second / 2.0)
    load = told["Payload"], elbow + second
    about_base = sum(G * mass * arm for mass, arm in (*weights, load))
    about_elbow = G * second * (told["m₂"] / 2.0 + told["Payload"])
    assert values(made) == pytest.approx({"tau1": about_base, "tau2": about_elbow})
    assert min(map(abs, made.answers[0])) > 0.2
    assert f"{made.answers[0][0]:.4g}" in made.key()


@tabular("seed", range(3))
def test_the_lagrangian_of_rods_is_that_of_the_textbook(seed: int) -> None:
    made = exercise("lagrangian", seed)
    told = given(made)
    l1, l2, m1, m2 = (told[name] for name in ("l₁", "l₂", "m₁", "m₂"))
    a11, a12, a22 = m1 * l1**2 / 3.0 + m2 * l1**2, m2 * l1 * l2 / 2.0, m2 * l2**2 / 3.0
    s1, s2 = m1 * l1 / 2.0 + m2 * l1, m2 * l2 / 2.0
    expected = {
        "a11": a11,
        "a12": a12,
        "a22": a22,
        "s1": s1,
        "s2": s2,
        "M11": a11 + a22 + 2.0 * a12 * math.cos(told["q₂"]),
        "G1": G * (s1 * math.cos(told["q₁"]) + s2 * math.cos(told["q₁"] + told["q₂"])),
    }
    assert values(made) == pytest.approx(expected)
    assert "The gravity vector" in made.steps
    assert f"a₁₁ = ⅓ m₁ l₁² + m₂ l₁² = {a11:.6g}" in made.steps


@tabular("seed", SEEDS)
def test_pendulums_swing_by_their_moments(seed: int) -> None:
    made = exercise("pendulum", seed)
    told = given(made)
    inertia = told["l"] ** 2 * (told["m"] / 3.0 + told["p"])
    first = told["l"] * (told["m"] / 2.0 + told["p"])
    free, decay = G * first / inertia, told["b"] / (2.0 * inertia)
    expected = {
        "frequency": math.sqrt(free - decay**2),
        "energy": 2.0 * G * first,
        "speed": 2.0 * math.sqrt(free),
    }
    assert values(made) == pytest.approx(expected)
    # An answer that forgets damping is not within the tolerance.
    assert math.sqrt(free) / expected["frequency"] > 1.0 + 2.0 * made.asked[0].tolerance


@tabular("seed", SEEDS)
def test_the_loop_has_the_poles_that_were_asked_for(seed: int) -> None:
    made = exercise("pid", seed)
    told, answer = given(made), values(made)
    inertia = told["l"] ** 2 * (told["m"] / 3.0 + told["p"])
    first = told["l"] * (told["m"] / 2.0 + told["p"])
    poles = np.roots([inertia, answer["kd"], answer["kp"]])
    assert np.abs(poles) == pytest.approx(told["ω"])
    assert -poles.real.mean() == pytest.approx(told["ζ"] * told["ω"])
    weight = G * first * math.cos(told["q"])
    assert answer["integral"] == pytest.approx(weight)
    assert answer["kp"] * answer["error"] == pytest.approx(weight)
    assert 0.5 < math.degrees(answer["error"]) < 25.0
    # At the integral gain the poles cross the axis.
    stiffness = answer["kp"] - G * first * math.sin(told["q"])
    loops = ([inertia, answer["kd"], stiffness, part * answer["ki"]] for part in (0.999, 1.001))
    below, above = (np.roots(loop).real.max() for loop in loops)
    assert below < 0.0 < above


@pytest.mark.parametrize("kind", KINDS)
def test_the_worked_steps_arrive_at_the_answers(kind: str) -> None:
    for seed in range(3 if kind == "lagrangian" else 20):
        made = exercise(kind, seed)
        text = made.steps.replace("±", "")
        for one in made.asked:
            for value in one.values:
                angle = math.degrees(value)
                written = (
                    (f"{angle:.4f}°", f"{angle:.6g}°") if one.unit == "deg" else (f"= {value:.6g}",)
                )
                assert any(text_of in text for text_of in written), (one.id, written)


@tabular("kind", ["reach", "torque", "pendulum", "pid"])
def test_what_is_given_is_round(kind: str) -> None:
    for seed in SEEDS:
        for label, text in exercise(kind, seed).given:
            if label.startswith("g,"):
                continue
            figure = float(re.split("[ °]", text)[0])
            rounded = round(figure) if text.endswith("°") else float(f"{figure:.2g}")
            assert figure == rounded, (label, text)


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_gets_plain_text_and_numbers(kind: str) -> None:
    made = exercise(kind, 7)
    content = json.loads(json.dumps(made.content(), allow_nan=False))
    assert content["kind"] == kind
    assert content["seed"] == "7"
    assert all(len(row) == len(content["asked"]) for row in content["answers"])
    assert all(one["tolerance"] > 0.0 for one in content["asked"])
    assert len({one["id"] for one in content["asked"]}) == len(content["asked"])
    assert "holds the answers" in content["note"]
    assert len(made.q) == made.arm.n


def test_seeds_give_other_numbers_and_the_same_ones_again() -> None:
    assert exercise("torque", 7) == exercise("torque", 7)
    assert len({exercise("torque", seed).given for seed in SEEDS}) == len(SEEDS)
    assert exercise("pid", 2**63 - 1).seed == 2**63 - 1


def test_numbers_come_from_the_documented_recipe() -> None:
    entropy = [int.from_bytes(b"reach", "big"), 7]
    raw = np.random.PCG64(np.random.SeedSequence(entropy)).random_raw(2)
    told = given(exercise("reach", 7))
    assert [told["l₁"], told["l₂"]] == pytest.approx([(20 + int(n) % 41) / 100 for n in raw])
