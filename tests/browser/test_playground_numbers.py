"""The playground's numbers in a browser against Python's, at twenty random arms.

The page's own code runs in the page. Arms come to it as addresses carry them, so that these have
to keep every digit.
"""

import math
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page
from scipy.interpolate import CubicSpline
from scipy.ndimage import gaussian_filter1d

import ulna
from ulna.control import PD, ComputedTorque, GravityPD, OpenLoop
from ulna.control.controller import Reference
from ulna.dynamics import sequential
from ulna.viewer.playground_scenes import scenes, state_text

COUNT = 20
STEP = 2.5e-4  # [s]
LAWS = ("pd", "gravity-pd", "gravity", "computed-torque", "open-loop")

TORQUES = """cases => cases.map(({ state, q, qd, laws, reference }) => {
  const p = ulnaPlayground, { arm } = p.fromFragment(state);
  return laws.map(law => p.controlTorque(p.mechanismOf(arm), law, q, qd, reference));
})"""
CLOSED_LOOP = """cases => cases.map(({ state, steps }) => {
  const p = ulnaPlayground, made = p.fromFragment(state);
  const simulation = new p.Simulation(
    p.mechanismOf(made.arm), made.q, made.qd, made.torque, made.control);
  simulation.setPoint = made.setPoint;
  for (let k = 0; k < steps; k++) simulation.step();
  return [simulation.q, simulation.qd, [simulation.time]];
})"""


def random_arm(rng: np.random.Generator, links: int) -> ulna.Arm:
    """Return an arm with everything that a playground knows."""
    made = []
    for _ in range(links):
        length, mass = rng.uniform(0.2, 1.2), rng.uniform(0.2, 3.0)
        made.append(
            ulna.Link(
                length,
                mass,
                com=length * rng.uniform(0.3, 0.8),
                inertia=mass * length**2 * rng.uniform(0.02, 0.1),
                tip_mass=rng.choice([0.0, 0.3]),
                com_offset=length * rng.uniform(-0.1, 0.1),
            )
        )
    joints = [
        ulna.Joint(
            damping=rng.choice([0.0, 0.05, 0.4]),
            rotor_inertia=rng.choice([0.0, 2e-4]),
            gear_ratio=rng.choice([-20.0, 30.0]),
        )
        for _ in range(links)
    ]
    payload = ulna.Payload(rng.uniform(0.0, 0.8), rng.choice([0.0, 0.01]))
    gravity = tuple(rng.uniform(-10.0, 10.0, 2).tolist())
    return ulna.Arm.of(made, joints, gravity=gravity, payload=payload)


class Case:
    """An arm, a state of it, a reference and gains."""

    def __init__(self, rng: np.random.Generator, links: int) -> None:
        self.arm = random_arm(rng, links)
        self.q, self.q_ref = rng.uniform(-math.pi, math.pi, (2, links))
        self.qd, self.qd_ref = rng.uniform(-2.0, 2.0, (2, links))
        self.qdd_ref = rng.uniform(-5.0, 5.0, links)
        self.tau = rng.uniform(-3.0, 3.0, links)
        inertia = np.diag(ulna.dynamics.mass_matrix(self.arm, np.zeros(links)))
        self.kp, self.kd = inertia * 30.0, inertia * 11.0
        self.frequency, self.ratio = rng.uniform(5.0, 15.0), rng.uniform(0.5, 1.2)

    @property
    def state(self) -> str:
        return state_text(self.arm, self.q, qd=self.qd)

    def settings(self, law: str) -> dict[str, Any]:
        """Return a law as the page has it."""
        return {
            "law": {"gravity-pd": "pd", "gravity": "off"}.get(law, law),
            "gravity": law.startswith("gravity"),
            "kp": self.kp.tolist(),
            "kd": self.kd.tolist(),
            "frequency": self.frequency,
            "dampingRatio": self.ratio,
        }

    def controller(self, law: str) -> Any:
        """Return the same law of Python's."""
        return {
            "pd": PD(self.kp, self.kd),
            "gravity-pd": GravityPD(self.kp, self.kd, measured=True),
            "gravity": GravityPD(0.0 * self.kp, 0.0 * self.kd, measured=True),
            "computed-torque": ComputedTorque(self.frequency, self.ratio),
            "open-loop": OpenLoop(),
        }[law]


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    rng = np.random.default_rng(20_261)
    return [Case(rng, 1 + k % 4) for k in range(COUNT)]


@pytest.fixture(scope="module")
def page(samples, opener, tmp_path_factory) -> Page:
    file = ulna.play(file=tmp_path_factory.mktemp("numbers") / "arm.html", progress=False)
    return opener(file)


def close(found: Any, wanted: Any, tolerance: float) -> None:
    """Compare vectors by the size of the wanted one."""
    scale = max(1e-300, float(np.max(np.abs(wanted))))
    np.testing.assert_allclose(found, wanted, rtol=0, atol=tolerance * scale)


# ------------------------------------------------------------------------------ control, dynamics


def test_control_torques(page: Page, cases: list[Case]) -> None:
    asked = [
        {
            "state": case.state,
            "q": case.q.tolist(),
            "qd": case.qd.tolist(),
            "laws": [case.settings(law) for law in LAWS],
            "reference": {
                "q": case.q_ref.tolist(),
                "qd": case.qd_ref.tolist(),
                "qdd": case.qdd_ref.tolist(),
            },
        }
        for case in cases
    ]
    for case, found in zip(cases, page.evaluate(TORQUES, asked), strict=True):
        reference = Reference(case.q_ref, case.qd_ref, case.qdd_ref)
        for law, torque in zip(LAWS, found, strict=True):
            controller = case.controller(law)
            state = controller.start(case.arm)
            wanted, _ = controller.torque(0.0, case.q, case.qd, reference, state)
            close(torque, wanted, 1e-10)


@pytest.mark.parametrize("law", ["pd", "gravity-pd", "computed-torque"])
def test_closed_loop(page: Page, cases: list[Case], law: str) -> None:
    steps = 2000
    asked = []
    for case in cases:
        settings = case.settings(law)
        more = [("law", settings["law"]), ("to", case.q_ref), ("kp", case.kp), ("kd", case.kd)]
        more += [("w", [case.frequency]), ("z", [case.ratio])]
        more += [("G", "1")] if settings["gravity"] else []
        asked.append({"state": state_text(case.arm, case.q, qd=case.qd, more=more), "steps": steps})
    for case, (q, qd, (end,)) in zip(cases, page.evaluate(CLOSED_LOOP, asked), strict=True):
        run = ulna.simulate(
            case.arm,
            q0=case.q,
            qd0=case.qd,
            duration=steps * STEP,
            controller=case.controller(law),
            reference=case.q_ref,
            method="rk4",
            dt=STEP,
            rate=1000,
        )
        assert run.status.ok
        assert end == pytest.approx(run.t[-1], abs=1e-12)
        close(q, run.q[-1], 1e-9)
        close(qd, run.qd[-1], 1e-9)


def test_the_sequential_model(page: Page, cases: list[Case]) -> None:
    script = """cases => cases.map(({ state, tau, steps }) => {
      const p = ulnaPlayground, { arm, q, qd } = p.fromFragment(state);
      let now = [q, qd];
      for (let k = 0; k < steps; k++)
        now = p.sequentialStep(p.mechanismOf(arm), ...now, tau, 2.5e-4);
      return now;
    })"""
    asked = [{"state": one.state, "tau": one.tau.tolist(), "steps": 1600} for one in cases]
    for case, (q, qd) in zip(cases, page.evaluate(script, asked), strict=True):
        run = ulna.simulate(
            case.arm,
            q0=case.q,
            qd0=case.qd,
            duration=0.4,
            torque=case.tau,
            method="rk4",
            dt=STEP,
            dynamics="sequential",
        )
        close(q, run.q[-1], 1e-9)
        close(qd, run.qd[-1], 1e-9)


def test_one_sequential_acceleration(page: Page, cases: list[Case]) -> None:
    script = """cases => cases.map(({ state, tau, dt }) => {
      const p = ulnaPlayground, { arm, q, qd } = p.fromFragment(state);
      return p.sequentialStep(p.mechanismOf(arm), q, qd, tau, dt)[1];
    })"""
    dt = 1e-7
    asked = [{"state": one.state, "tau": one.tau.tolist(), "dt": dt} for one in cases]
    for case, rates in zip(cases, page.evaluate(script, asked), strict=True):
        theta, thetad = np.cumsum(case.q), np.cumsum(case.qd)
        wanted = sequential.forward_dynamics(case.arm, theta, thetad, case.tau)
        found = (np.cumsum(rates) - thetad) / dt
        close(found, wanted, 1e-6)


def test_a_force_on_a_point(page: Page, cases: list[Case]) -> None:
    script = """cases => cases.map(({ state, link, point, force }) => {
      const p = ulnaPlayground, { arm, q } = p.fromFragment(state);
      return p.torqueOfForce(p.mechanismOf(arm), q, link, ...point, ...force);
    })"""
    rng = np.random.default_rng(3)
    asked, wanted = [], []
    for case in cases:
        n = case.arm.n
        link = int(rng.integers(n))
        force = rng.uniform(-5.0, 5.0, 2)
        # A point of a link is the tip of the arm that ends there; joints beyond it feel nothing.
        part = case.arm.replace(
            links=case.arm.links[: link + 1], joints=case.arm.joints[: link + 1]
        )
        point = ulna.kinematics.tip(part, case.q[: link + 1])[:2]
        jacobian = ulna.kinematics.jacobian(part, case.q[: link + 1])[:2]
        wanted.append(np.concatenate([jacobian.T @ force, np.zeros(n - link - 1)]))
        asked.append(
            {"state": case.state, "link": link, "point": point.tolist(), "force": force.tolist()}
        )
    for found, own in zip(page.evaluate(script, asked), wanted, strict=True):
        close(found, own, 1e-12)


def test_a_poke_is_an_impulse(page: Page, cases: list[Case]) -> None:
    script = """cases => cases.map(({ state, impulse }) => {
      const p = ulnaPlayground, made = p.fromFragment(state), mechanism = p.mechanismOf(made.arm);
      const one = new p.Simulation(mechanism, made.q, made.qd, made.torque, made.control);
      const tip = mechanism.model.tip(mechanism.letters, made.q);
      one.poke(made.q.length - 1, tip[0], tip[1], ...impulse);
      return one.qd;
    })"""
    impulse = [0.7, -0.4]
    asked = [{"state": case.state, "impulse": impulse} for case in cases]
    for case, found in zip(cases, page.evaluate(script, asked), strict=True):
        momentum = ulna.dynamics.mass_matrix(case.arm, case.q) @ (np.array(found) - case.qd)
        jacobian = ulna.kinematics.jacobian(case.arm, case.q)[:2]
        close(momentum, jacobian.T @ impulse, 1e-9)


def test_a_stop_takes_one_joints_speed_by_an_impulse_on_it_alone(page: Page) -> None:
    script = """state => {
      const p = ulnaPlayground, made = p.fromFragment(state), mechanism = p.mechanismOf(made.arm);
      const one = new p.Simulation(mechanism, made.q, made.qd, made.torque, made.control);
      for (let k = 0; k < 8000; k++) {
        const [q, qd] = mechanism.model.step(mechanism.letters, one.q, one.qd, one.tau, 2.5e-4);
        one.step();
        if (one.qd.some((rate, i) => rate !== qd[i])) return { q, qd, after: one.qd, at: one.q };
      }
      return null;
    }"""
    joints = [ulna.Joint(), ulna.Joint(lower=-1.3, upper=1.5), ulna.Joint()]
    arm = ulna.Arm.rods([0.5, 0.4, 0.3], [1.0, 0.8, 0.5], joints=joints)
    for rate, limit in ((3.0, 1.5), (-3.0, -1.3)):
        met = page.evaluate(script, state_text(arm, [0.3, 0.2, 0.1], qd=[0.0, rate, 0.5]))
        assert abs(met["q"][1]) > abs(limit)
        assert met["at"][1] == limit
        assert met["after"][1] == 0.0
        before, after = np.array(met["qd"]), np.array(met["after"])
        push = ulna.dynamics.mass_matrix(arm, met["at"]) @ (after - before)
        np.testing.assert_allclose(push[[0, 2]], 0.0, atol=1e-10 * abs(push[1]))
        energy = [ulna.dynamics.kinetic_energy(arm, met["at"], row) for row in (before, after)]
        assert energy[1] < energy[0]


# ------------------------------------------------------------------------------------ kinematics


REACH = """cases => cases.map(({ state, x, y, orientation }) => {
  const p = ulnaPlayground, { arm, q } = p.fromFragment(state);
  return p.reachFor(p.mechanismOf(arm), q, x, y, orientation);
})"""


def same_turn(found: Any, wanted: Any) -> None:
    """Compare angles but for whole turns."""
    gap = np.asarray(found) - np.asarray(wanted)
    np.testing.assert_allclose(gap - 2 * math.pi * np.round(gap / (2 * math.pi)), 0.0, atol=1e-10)


@pytest.mark.parametrize(("links", "held"), [(2, False), (3, True)])
def test_both_branches(page: Page, links: int, held: bool) -> None:
    rng = np.random.default_rng(11)
    asked, arms, targets = [], [], []
    for _ in range(COUNT):
        arm = random_arm(rng, links)
        target = ulna.kinematics.tip(arm, rng.uniform(-2.5, 2.5, links))
        start = rng.uniform(-2.5, 2.5, links)
        asked.append(
            {
                "state": state_text(arm, start),
                "x": target[0],
                "y": target[1],
                "orientation": target[2] if held else None,
            }
        )
        arms.append((arm, start))
        targets.append(target if held else target[:2])
    found = page.evaluate(REACH, asked)
    for (arm, start), target, one in zip(arms, targets, found, strict=True):
        own = ulna.kinematics.inverse(arm, target)
        first = 0 if math.sin(start[1]) >= 0 else 1
        assert own.branch[first] == ("positive" if math.sin(start[1]) >= 0 else "negative")
        same_turn(one["q"], own.q[first])
        same_turn(one["others"][0], own.q[1 - first])
        assert one["shortfall"] == 0
        assert np.max(np.abs(np.array(one["q"]) - start)) <= math.pi + 1e-12


@pytest.mark.parametrize("links", [3, 4])
def test_least_squares_reach_what_can_be_reached(page: Page, links: int) -> None:
    rng = np.random.default_rng(12)
    asked, arms = [], []
    for _ in range(COUNT):
        arm = random_arm(rng, links)
        x, y, _ = ulna.kinematics.tip(arm, rng.uniform(-2.5, 2.5, links))
        start = rng.uniform(-2.5, 2.5, links)
        asked.append({"state": state_text(arm, start), "x": x, "y": y, "orientation": None})
        arms.append(arm)
    for arm, case, found in zip(arms, asked, page.evaluate(REACH, asked), strict=True):
        tip = ulna.kinematics.tip(arm, found["q"])[:2]
        reach = sum(link.length for link in arm.links)
        assert math.dist(tip, (case["x"], case["y"])) < 1e-9 * reach


def test_how_far_out_of_reach(page: Page, cases: list[Case]) -> None:
    asked, wanted = [], []
    for case in cases:
        reach = sum(link.length for link in case.arm.links)
        for x, y in ((1.1 * reach, 0.2 * reach), (0.01 * reach, 0.02 * reach)):
            asked.append({"state": case.state, "x": x, "y": y, "orientation": None})
            wanted.append(float(ulna.kinematics.inverse(case.arm, [x, y]).shortfall))
    for found, own in zip(page.evaluate(REACH, asked), wanted, strict=True):
        assert found["shortfall"] == pytest.approx(own, abs=1e-12)


# ---------------------------------------------------------------------------------------- curves


def test_smoothing_is_scipys(page: Page) -> None:
    rng = np.random.default_rng(4)
    for count, sigma in ((192, 5.0), (40, 2.3), (7, 5.0)):
        values = rng.normal(size=count)
        script = "([values, sigma]) => ulnaPlayground.gaussian(values, sigma)"
        found = page.evaluate(script, [values.tolist(), sigma])
        wanted = gaussian_filter1d(values, sigma, mode="nearest")
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-13)


def test_splines_are_scipys(page: Page) -> None:
    rng = np.random.default_rng(5)
    script = """([values, step, ends, times]) => {
      const spline = new ulnaPlayground.CubicSpline(values, step, ...ends);
      return times.map(time => spline.at(time));
    }"""
    for count in (3, 4, 9, 200):
        values, ends = rng.normal(size=count), rng.normal(size=2)
        step = 0.05
        times = np.linspace(0.0, step * (count - 1), 333)
        found = np.array(
            page.evaluate(script, [values.tolist(), step, ends.tolist(), times.tolist()])
        )
        knots = step * np.arange(count)
        own = CubicSpline(knots, values, bc_type=((1, ends[0]), (1, ends[1])))
        np.testing.assert_allclose(found[:, 0], own(times), atol=1e-11)
        np.testing.assert_allclose(found[:, 1], own(times, 1), atol=1e-9)
        np.testing.assert_allclose(found[:, 2], own(times, 2), atol=1e-6)


def test_loops_are_the_papers_and_the_joints_follow_them(page: Page) -> None:
    state = next(one.state for one in scenes() if one.id == "000-figure-6")
    script = """([state, times]) => {
      const p = ulnaPlayground, { arm, q, path } = p.fromFragment(state);
      const plan = p.planTrajectory(p.mechanismOf(arm), path, q);
      return { rows: times.map(time => plan.at(time)), drawn: plan.drawn, length: plan.length };
    }"""
    times = np.linspace(0.0, 60.0, 241)
    found = page.evaluate(script, [state, times.tolist()])
    path = ulna.paths.loops(radius=0.79, loop_radius=0.2, loops=13)
    arm = ulna.preset("kehl")
    plan = ulna.plan(arm, path, duration=60.0, rate=4.0)
    drawn = np.array([[one["x"], one["y"]] for one in found["drawn"]])
    np.testing.assert_allclose(drawn[::80], path(np.linspace(0, 1, 6)), atol=1e-12)
    tips = ulna.kinematics.tip(arm, [row["q"] for row in found["rows"]])[:, :2]
    np.testing.assert_allclose(tips, plan.tip[:, :2], atol=1e-7)
    rates = np.array([row["qd"] for row in found["rows"]])
    np.testing.assert_allclose(np.abs(rates), np.abs(plan.qd), atol=1e-4)


# ----------------------------------------------------------------------------------------- energy


SMALL = [name for name in ulna.presets() if ulna.preset(name).n <= 4]
ENERGY = """([state, level]) => {
  const p = ulnaPlayground, made = p.fromFragment(state);
  const joints = made.arm.joints.map(joint => (
    { ...joint, damping: 0, lower: null, upper: null }));
  const mechanism = p.mechanismOf({ ...made.arm, joints }), { model, letters } = mechanism;
  let q = level ? made.q.map(() => 0) : made.q, qd = q.map(() => 0);
  const none = qd.slice();
  const energy = () => model.kineticEnergy(letters, q, qd) + model.potentialEnergy(letters, q);
  const start = energy();
  let drift = 0, peak = 0;
  for (let k = 1; k <= 240000; k++) {
    [q, qd] = model.step(letters, q, qd, none, 2.5e-4);
    if (k % 50) continue;
    const kinetic = model.kineticEnergy(letters, q, qd);
    peak = Math.max(peak, kinetic);
    drift = Math.max(drift, Math.abs(energy() - start));
  }
  return [drift, peak];
}"""


@pytest.mark.parametrize(
    "level", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["as opened", "level"]
)
def test_energy_is_kept_for_a_minute(page: Page, level: bool) -> None:
    states = {one.id: one.state for one in scenes() if one.group == "Arms"}
    assert list(states) == SMALL
    found = {name: page.evaluate(ENERGY, [state, level]) for name, state in states.items()}
    shares = [drift / peak for drift, peak in found.values()]
    assert max(shares) <= 1e-6
