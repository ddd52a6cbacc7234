"""The page's phase portrait against `ulna.portrait`, at arms of all kinds, and its card.

The viewer's own sources and the generated model run in Node.js, the card in a browser. The page
follows orbits by the classical Runge-Kutta method in steps of at most 0.05 rad of small
swings, whose error is about 0.05⁴/120 = 5e-8 of the swing for each radian, and separatrices for 24
radians: a millionth of the picture, a thousandth of a pixel.
"""

import json
import math
import os
import runpy
import subprocess
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline

import ulna
from ulna.derivation import DerivationOptions
from ulna.derivation.source_code import javascript_model

ROOT = Path(__file__).resolve().parents[2]
WEB = ROOT / "web"
VIEWER = runpy.run_path(str(ROOT / "tools" / "viewer.py"))
STYLES = ("tokens.css", "phase.css")
TOLERANCE = 1e-6  # of a radian, and of the speed of small swings
ENTRY = """
import { mechanismOf } from "./models";
import { portraitOf } from "./phase";
import { PhaseView } from "./phase-view";
globalThis.phase = { mechanismOf, portraitOf, PhaseView };
"""
ASK = """
const asked = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
const answers = asked.map(({ arm, torque }) => {
  const { flow, ...portrait } = phase.portraitOf(phase.mechanismOf(arm), torque);
  const { inertia, damping, weight, frequency } = flow;
  return { inertia, damping, weight, frequency, ...portrait };
});
console.log(JSON.stringify(answers));
"""


def random_arm(rng: np.random.Generator) -> ulna.Arm:
    """Return an arm of one link with everything that the page's model knows."""
    length, mass = rng.uniform(0.2, 2.0), rng.uniform(0.1, 3.0)
    link = ulna.Link(
        length,
        mass,
        com=length * rng.uniform(0.2, 1.0),
        inertia=mass * length**2 * rng.uniform(0.0, 0.1),
        tip_mass=rng.choice([0.0, 0.4]),
        com_offset=rng.uniform(-0.1, 0.1),
    )
    pull, way = rng.uniform(1.0, 12.0), rng.uniform(-math.pi, math.pi)
    gravity = pull * math.cos(way), pull * math.sin(way)
    rotor = {"rotor_inertia": rng.choice([0.0, 1e-4]), "gear_ratio": -20.0}
    payload = rng.choice([0.0, 0.5])
    arm = ulna.Arm.of([link], [ulna.Joint(**rotor)], gravity=gravity, payload=payload)
    flow = ulna.portrait(arm).flow
    # From none to more than critical.
    damping = rng.choice([0.0, 0.03, 0.1, 0.3, 1.0, 3.0]) * flow.inertia * flow.natural_frequency
    return arm.replace(joints=[ulna.Joint(damping=damping, **rotor)])


def random_cases() -> list[tuple[ulna.Arm, float]]:
    """Return twenty arms, each with a torque between none and more than the weight's."""
    rng = np.random.default_rng(20_260)
    arms = [random_arm(rng) for _ in range(20)]
    shares = rng.uniform(-1.3, 1.3, 20) * (rng.uniform(size=20) > 0.15)
    weights = [ulna.portrait(arm).flow.peak_gravity_torque for arm in arms]
    return list(zip(arms, (shares * weights).tolist(), strict=True))


def numbers_of(arm: ulna.Arm) -> dict[str, Any]:
    """Return an arm of one link as the page writes it."""
    (link,), (joint,) = arm.links, arm.joints
    return {
        "name": "",
        "links": [
            {
                "length": link.length,
                "mass": link.mass,
                "com": link.com,
                "comOffset": link.com_offset,
                "inertia": link.inertia,
                "tipMass": link.tip_mass,
            }
        ],
        "joints": [
            {
                "damping": joint.damping,
                "rotorInertia": joint.rotor_inertia,
                "gearRatio": joint.gear_ratio,
            }
        ],
        "gravity": list(arm.gravity),
        "payload": arm.payload.mass,
        "payloadInertia": arm.payload.inertia,
    }


def skip(why: str) -> NoReturn:
    """Skip the tests for want of something, or fail where nothing may be missing."""
    if os.environ.get("CI", "").lower() in ("1", "true"):
        pytest.fail(why, pytrace=False)
    pytest.skip(why)


@pytest.fixture(scope="module")
def node() -> list[str]:
    """Node.js, as a command."""
    try:
        found: list[str] = VIEWER["find_node"]().node
    except VIEWER["CannotBuildError"] as error:
        skip(f"THE PHASE PORTRAIT IS NOT TESTED: {error}")
    if not (WEB / "node_modules" / "esbuild").is_dir():
        skip("THE PHASE PORTRAIT IS NOT TESTED: run python tools/viewer.py --require")
    return found


@pytest.fixture(scope="module")
def code(node: list[str]) -> str:
    """The viewer's phase portrait and the generated model, as a script."""
    build = "const made = require('esbuild').buildSync({bundle: true, format: 'iife', write: false,"
    build += "stdin: {contents: process.argv[1], resolveDir: process.argv[2], loader: 'ts'}});"
    build += "process.stdout.write(made.outputFiles[0].text)"
    script = [*node, "-e", build, ENTRY, str(WEB / "src" / "playground")]
    bundle = subprocess.run(script, cwd=WEB, check=True, capture_output=True, encoding="utf-8")
    options = DerivationOptions(
        links=1, bodies="general", payload=True, gravity="vector", drives=True
    )
    models = f"globalThis.ulnaModels = {{ 1: {javascript_model(options)} }};\n"
    return models + bundle.stdout


@pytest.fixture(scope="module")
def page(node: list[str], code: str, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Ask the page's own code for portraits."""
    script = tmp_path_factory.mktemp("phase") / "phase.cjs"
    script.write_text(code + ASK, "utf-8")

    def asked(cases: list[tuple[ulna.Arm, float]]) -> list[dict[str, Any]]:
        question = json.dumps([{"arm": numbers_of(arm), "torque": torque} for arm, torque in cases])
        done = subprocess.run(
            [*node, str(script)], input=question, capture_output=True, text=True, check=True
        )
        found: list[dict[str, Any]] = json.loads(done.stdout)
        return found

    return asked


@pytest.fixture(scope="module")
def portraits(page: Any) -> list[tuple[dict[str, Any], Any]]:
    """Portraits of the page, each with Python's."""
    cases = random_cases()
    shown = page(cases)
    own = [
        ulna.portrait(arm, torque=torque, speeds=(-one["fastest"], one["fastest"]))
        for (arm, torque), one in zip(cases, shown, strict=True)
    ]
    return list(zip(shown, own, strict=True))


def test_flow_has_the_arms_numbers(portraits: list[tuple[dict[str, Any], Any]]) -> None:
    for shown, own in portraits:
        flow = own.flow
        found = [shown[name] for name in ("inertia", "damping", "weight", "frequency")]
        wanted = [flow.inertia, flow.damping, flow.peak_gravity_torque, flow.natural_frequency]
        np.testing.assert_allclose(found, wanted, rtol=1e-12)


def test_equilibria(portraits: list[tuple[dict[str, Any], Any]]) -> None:
    kinds: set[str] = set()
    for shown, own in portraits:
        found = [(one["kind"], one["angle"], *one["rates"]) for one in shown["equilibria"]]
        wanted = [(one.kind, one.angle, *one.eigenvalues.real) for one in own.equilibria]
        assert [kind for kind, *_ in found] == [kind for kind, *_ in wanted]
        for (_, *numbers), (_, *python) in zip(found, wanted, strict=True):
            scale = np.array([1.0, own.flow.natural_frequency, own.flow.natural_frequency])
            np.testing.assert_allclose(numbers / scale, python / scale, atol=1e-8, rtol=0.0)
        kinds.update(kind for kind, *_ in found)
    # The arms are of every kind that a constant torque and damping can make.
    assert kinds == {"saddle", "centre", "stable focus", "stable node"}


def distances(orbit: dict[str, list[float]], own: Any, python: Any, shift: float) -> np.ndarray:
    """Return how far each point of the page's orbit is from Python's, at the nearest time.

    Between samples Python's orbit is a cubic with the right slopes, whose error is 1e-10.
    """
    scale = own.flow.natural_frequency
    order = np.argsort(python.segment.t)
    t, q, qd = (values[order] for values in python.segment)
    angle = CubicHermiteSpline(t, q, qd)
    speed = CubicHermiteSpline(t, qd / scale, own.flow.acceleration(q, qd) / scale)
    q, qd = np.array(orbit["q"]) + shift, np.array(orbit["qd"]) / scale
    # Both are followed from beside the saddle: the farther begins later.
    rate = python.saddle.rate(leaving=not python.incoming)
    times = np.array(orbit["t"]) + math.log(1e-4 / 1e-6) / rate
    # Python follows some of them less long.
    inside = (times > t[0] + 0.1 / scale) & (times < t[-1] - 0.1 / scale)
    times, q, qd = times[inside], q[inside], qd[inside]
    for _ in range(6):
        away = angle(times) - q, speed(times) - qd
        slopes = angle(times, 1), speed(times, 1)
        along = away[0] * slopes[0] + away[1] * slopes[1]
        times = times - along / (slopes[0] ** 2 + slopes[1] ** 2 + 1e-300)
    found: np.ndarray = np.hypot(angle(times) - q, speed(times) - qd)
    return found


def test_separatrices(portraits: list[tuple[dict[str, Any], Any]]) -> None:
    compared = 0
    for shown, own in portraits:
        assert len(shown["separatrices"]) == len(own.separatrices)
        for one, python in zip(shown["separatrices"], own.separatrices, strict=True):
            assert (one["incoming"], one["side"]) == (python.incoming, python.side)
            shift = python.saddle.angle - one["saddle"]["angle"]
            apart = distances(one["orbit"], own, python, shift)
            assert len(apart) > 0.5 * len(one["orbit"]["q"])
            assert apart.max() < TOLERANCE
            compared += len(apart)
    assert compared > 10_000


def test_running_solutions(portraits: list[tuple[dict[str, Any], Any]]) -> None:
    """They are where Python has them, with its period and its speed at every angle."""
    found = 0
    for shown, own in portraits:
        one, python = shown["running"], own.running
        assert (one is None) == (python is None)
        if one is None:
            continue
        assert one["direction"] == python.direction
        assert one["mean"] == pytest.approx(python.mean, rel=TOLERANCE)
        _, angle, speed = python.segment
        slopes = own.flow.acceleration(angle, speed) / speed
        side = python.direction
        curve = CubicHermiteSpline(side * angle, speed, side * slopes)
        turn = 2.0 * math.pi
        q = angle.min() + np.mod(np.array(one["orbit"]["q"]) - angle.min(), turn)
        error = np.array(one["orbit"]["qd"]) - curve(side * q)
        assert np.abs(error).max() < TOLERANCE * max(own.flow.natural_frequency, python.fastest)
        found += 1
    assert found > 3


def test_creeping_joints(page: Any) -> None:
    """A joint with much damping goes from its saddle to its node as Python's does."""
    arm = ulna.Arm.rods([0.5], [0.4]).replace(joints=[ulna.Joint(damping=2.0)])
    (shown,) = page([(arm, 0.3)])
    own = ulna.portrait(arm, torque=0.3)
    assert shown["damping"] / (shown["inertia"] * shown["frequency"]) > 8.0
    leaving = [one for one in shown["separatrices"] if not one["incoming"]]
    for one in leaving:
        q, qd = np.array(one["orbit"]["q"]), np.array(one["orbit"]["qd"])
        start = q[1], qd[1]
        run = own.flow.segment(*start, 5.0 * abs(one["orbit"]["t"][-2]), 40_001)
        side = one["side"]
        speeds = np.interp(side * q[1:-1], side * run.angle, run.speed)
        assert np.abs(speeds - qd[1:-1]).max() < TOLERANCE * own.flow.natural_frequency


CARD = """
const started = [];
const view = new phase.PhaseView(document.body, { start: (...state) => started.push(state) });
const show = (arm, torque) => view.show(phase.mechanismOf(arm), torque);
const pictures = () => [...document.querySelectorAll("canvas")].map((one) => one.toDataURL());
const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
async function moved(q) {
  view.update(q, 1);
  await frame();
  await frame();
  return pictures();
}
function forgotten() {
  for (let k = 0; k < 200; k++) view.update(0, 1 + 1e-9 * k);
}
"""


@pytest.fixture(scope="module")
def card(opener: Any, code: str, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A page with the card of a damped pendulum, and nothing else."""
    styles = [(WEB / "src" / "styles" / name).read_text("utf-8") for name in STYLES]
    arm = json.dumps(numbers_of(ulna.preset("bechard-1")))
    script = f"{code}{CARD}const pendulum = {arm};\nshow(pendulum, 0);"
    file = tmp_path_factory.mktemp("card") / "card.html"
    head = f"<!doctype html><meta charset=utf-8><style>{''.join(styles)}</style>"
    file.write_text(f"{head}<body><script>{script}</script>", "utf-8")
    return opener(file, ready=".phase-mark", has_touch=True)


def middle(locator: Any) -> tuple[float, float]:
    """Return the middle of an element [px]."""
    box = locator.bounding_box()
    return box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"]


def test_equilibria_have_names_and_places(card: Any) -> None:
    """The arm hangs in the middle, and stands at both edges, which are a turn apart."""
    card.evaluate("show(pendulum, 0)")
    names = [mark.get_attribute("aria-label") for mark in card.locator(".phase-mark").all()]
    assert names == ["stable focus at −90.0°: start there", *["saddle at 90.0°: start there"] * 2]
    (hanging, _), (left, _), (right, _) = [middle(x) for x in card.locator(".phase-mark").all()]
    assert hanging == pytest.approx(0.5 * (left + right), abs=0.1)
    label = card.get_by_role("application").get_attribute("aria-label")
    assert "stable focus at −90.0°, saddle at 90.0°" in label


def test_a_click_a_tap_and_a_key_start_the_joint(card: Any) -> None:
    """A quarter of a turn beside the middle is 0° and −180°; higher is faster."""
    card.evaluate("started.length = 0")
    (hanging, y), (left, _), (right, _) = [middle(x) for x in card.locator(".phase-mark").all()]
    quarter = 0.25 * (right - left)
    card.mouse.click(hanging + quarter, y - 50)
    card.touchscreen.tap(hanging - quarter, y + 50)
    card.get_by_role("application").focus()
    for key in ["ArrowRight"] * 18 + ["Enter"]:  # 5° each
        card.keyboard.press(key)
    (q1, qd1), (q2, qd2), (q3, qd3) = card.evaluate("started")
    pixel = 2.0 * math.pi / (right - left)
    assert q1 == pytest.approx(0.0, abs=pixel)
    assert abs(q2) == pytest.approx(math.pi, abs=pixel)
    assert qd1 == pytest.approx(-qd2, abs=0.1)
    assert qd1 > 0.0
    assert (q3, qd3) == pytest.approx((0.0, 0.0), abs=1e-12)


def test_moving_repaints_its_own_layer_only(card: Any) -> None:
    """Across the seam, turns later, the point is where its angle is."""
    card.evaluate("view.clear()")
    field, here = card.evaluate("moved", 0.0)
    same, there = card.evaluate("moved", 1.6)
    assert same == field
    assert there != here
    card.evaluate("forgotten()")
    _, once = card.evaluate("moved", 0.0)
    card.evaluate("forgotten()")
    _, turned = card.evaluate("moved", 6.0 * math.pi)
    assert turned == once
