"""Robustness: arms that are not quite the nominal one, and a controller that does not know."""

import json
import math

import numpy as np
import pytest
from scipy.stats import binom, spearmanr

import ulna
from ulna import InputError
from ulna.control import PD, ComputedTorque
from ulna.sweep import default_uncertainty
from ulna.sweep.robust_results import exit_probability
from ulna.sweep.uncertain_loop import NominalController

PAYLOAD = {"payload": {"from": 0.0, "to": 1.0}}


@pytest.fixture(scope="module")
def plan():
    return ulna.plan(ulna.preset("kehl"), ulna.paths.circle((0.5, 0.2), 0.1), duration=1.0)


@pytest.fixture(scope="module")
def found(plan):
    """Forty arms with everything that is uncertain by default."""
    return ulna.robustness(plan, ComputedTorque(), runs=40, seed=3)


def test_arms_without_any_spread_are_the_nominal_arm_to_the_last_bit(plan):
    arm = plan.arm
    same = {
        "link.1.mass": [arm.links[0].mass],
        "link.2.length": [arm.links[1].length],
        "payload": {"from": 0.0, "to": 0.0},
        "joint.1.friction.coulomb": [0.0],
        "sensors.delay": [0.0],
        "sensors.angle_noise": {"from": 0.0, "to": 0.0},
        "disturbance.1.force.x": {"from": 0.0, "to": 0.0},
    }
    many = ulna.robustness(plan, ComputedTorque(), runs=5, vary=same)
    nominal = ulna.simulate_batch(
        [arm], controller=ComputedTorque(), reference=plan, samples=[*many.t], rate=1000.0
    )
    errors = ulna.analysis.tracking(nominal, plan).size[0]
    assert np.array_equal(many.error, np.broadcast_to(errors, many.error.shape))
    assert np.array_equal(many.fan((50.0,))[0], errors)
    assert np.array_equal(many.nominal, errors)
    assert np.unique(many.max).tolist() == [many.nominal_max]
    assert many.exit.exits == 0


def test_the_worst_arm_is_simulated_again_bit_for_bit(found, plan):
    again = ulna.analysis.tracking(found.replay(), plan)
    number = found.worst.number
    assert found.max.argmax() == number
    assert (again.max[0], again.rms[0]) == (found.max[number], found.rms[number])
    # Among more of them, and in other company.
    more = ulna.robustness(plan, ComputedTorque(), runs=90, seed=3)
    assert np.array_equal(more.error[:40], found.error)
    assert more.draws(17) == found.draws(17)
    other = ulna.robustness(plan, ComputedTorque(), runs=2, seed=4)
    assert other.draws(0) != found.draws(0)


def test_percentiles_are_those_of_one_simulation_after_the_other(plan):
    names = ("link.1.mass", "link.2.mass", "payload")
    table = {name: default_uncertainty(plan)[name] for name in names}
    many = ulna.robustness(plan, ComputedTorque(), runs=20, vary=table)
    believing = ComputedTorque(model=plan.arm)
    rms, most = [], []
    for k in range(20):
        draw = many.draws(k)
        first, second = plan.arm.links
        masses = (draw["link.1.mass"], draw["link.2.mass"])
        arm = ulna.Arm.rods([first.length, second.length], masses, payload=draw["payload"])
        run = ulna.simulate(arm, controller=believing, reference=plan, samples=401)
        judged = ulna.analysis.tracking(run, plan)
        rms.append(judged.rms)
        most.append(judged.max)
    shares = many.percentiles((50.0, 90.0, 95.0, 99.0))
    levels = [50, 90, 95, 99]
    np.testing.assert_allclose(shares["rms"], np.percentile(rms, levels), rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(shares["max"], np.percentile(most, levels), rtol=0.0, atol=1e-12)


def test_a_planted_cause_ranks_first(plan):
    alone = ulna.robustness(plan, ComputedTorque(), runs=60, vary=PAYLOAD)
    assert alone.rank_correlations["payload"].value > 0.999
    quiet = {"link.1.mass": {"from": 0.9999, "to": 1.0001}, **PAYLOAD}
    both = ulna.robustness(plan, ComputedTorque(), runs=60, vary=quiet)
    assert next(iter(both.rank_correlations)) == "payload"
    assert both.rank_correlations["payload"].value > 0.99
    outside = spearmanr(both.values["link.1.mass"], both.max).statistic
    assert both.rank_correlations["link.1.mass"].value == pytest.approx(outside, abs=1e-12)


def test_what_is_too_much_and_too_little_alike_goes_with_its_distance(plan):
    both_ways = {"link.2.mass": {"from": 9.0, "to": 11.0}}
    rho = ulna.robustness(plan, ComputedTorque(), runs=100, vary=both_ways).rank_correlations
    assert rho["link.2.mass"].deviation > 0.95
    assert abs(rho["link.2.mass"].value) < 0.3


def test_the_probability_of_leaving_is_that_of_the_payload_that_leaves(plan):
    # The error grows with the payload: an arm leaves the tube of the error that 0.7 kg makes where
    # it carries more, which three of ten do.
    believing = ComputedTorque(model=plan.arm)
    heavy = plan.arm.with_payload(0.7)
    run = ulna.simulate(heavy, controller=believing, reference=plan, samples=401)
    tube = ulna.analysis.tracking(run, plan).max
    vary = {"design": "sobol", **PAYLOAD}  # one point in every 256th of the range
    many = ulna.robustness(plan, ComputedTorque(), runs=256, vary=vary, tube=tube)
    assert many.exit.exits == int(np.sum(many.values["payload"] > 0.7))
    assert abs(many.exit.exits - 0.3 * 256) <= 1.0
    assert many.exit.low < 0.3 < many.exit.high


@pytest.mark.parametrize("p", [0.03, 0.3, 0.5])
def test_the_interval_holds_the_probability_in_95_of_100_experiments(p):
    counts = np.arange(1001)
    intervals = [exit_probability(int(count), 1000) for count in counts]
    holds = [one.low <= p <= one.high for one in intervals]
    assert binom.pmf(counts, 1000, p)[holds].sum() == pytest.approx(0.95, abs=0.01)


def test_a_controller_goes_on_believing_in_the_nominal_arm(plan):
    # By itself a PD controller chooses gains for the arm that it is put on.
    heavy, timing = plan.arm.with_payload(5.0), ulna.control.ControlTiming(1000.0, 0.0)
    own = NominalController(PD(), plan.arm, timing)
    assert np.array_equal(own.compiled(heavy).params, PD().compiled(plan.arm, timing).params)
    assert not np.array_equal(own.compiled(heavy).params, PD().compiled(heavy, timing).params)
    gains = PD().gains(plan.arm, timing)
    fixed = PD(kp=tuple(gains.kp), kd=tuple(gains.kd))
    vary = {"payload": [5.0]}
    one = ulna.robustness(plan, PD(), runs=1, vary=vary)
    assert one.max[0] == ulna.robustness(plan, fixed, runs=1, vary=vary).max[0]


def test_what_a_controller_believes_may_be_what_is_uncertain(plan):
    wrong = ulna.robustness(
        plan, ComputedTorque(), runs=8, vary={"controller_model.payload": {"from": 0.5, "to": 1.0}}
    )
    assert (wrong.max > 10.0 * wrong.nominal_max).all()


def test_a_weak_motor_gives_less_than_its_driver_believes():
    motor = ulna.Motor(voltage=48.0, resistance=0.5, torque_constant=0.1, gear_ratio=50.0)
    arm = ulna.Arm.rods([0.5, 0.5], [1.0, 1.0], joints=[ulna.Joint(motor=motor)] * 2)
    plan = ulna.plan(arm, ulna.paths.circle((0.5, 0.2), 0.1), duration=1.0)
    table = default_uncertainty(plan)
    assert table["joint.1.motor.torque_constant"] == {"from": pytest.approx(0.09), "to": 0.1}
    weak = {"joint.1.motor.torque_constant": [0.09]}
    one = ulna.robustness(plan, ComputedTorque(), runs=1, vary=weak)
    assert one.max[0] > 10.0 * one.nominal_max


@pytest.mark.parametrize("name", ["dfki-double-pendulum", "so-101"])
def test_arms_with_motors_of_any_kind_have_weak_ones(name):
    arm = ulna.preset(name)
    path = ulna.paths.circle((0.7 * arm.reach, 0.0), 0.05 * arm.reach)
    plan = ulna.plan(arm, path, duration=2.0)
    weak = [name for name in default_uncertainty(plan) if ".motor." in name]
    assert len(weak) == arm.n
    found = ulna.robustness(plan, ComputedTorque(), runs=3)
    assert set(weak) < set(found.values)
    assert (found.max > found.nominal_max).all()


def test_runs_that_fail_have_left_the_tube_and_are_the_worst(plan):
    # A knock of 10¹² N ends in numbers that no arm has.
    vary = {"link.1.mass": [1.0], "disturbance.1.force.x": [0.0, 1e12]}
    many = ulna.robustness(plan, ComputedTorque(), runs=12, vary=vary)
    failed = many.values["disturbance.1.force.x"] > 0.0
    assert 0 < many.failed == failed.sum() < 12
    assert many.exit.exits == many.failed
    assert math.isinf(many.worst.error)
    assert failed[many.worst.number]
    assert many.percentiles((0.0,))["max"][0] == many.max.min()
    assert not np.isnan(many.fan()).any()
    assert many.facts()["worst"]["error"] is None


def test_facts_are_plain_and_say_what_was_found(found):
    facts = json.loads(json.dumps(found.facts()))
    assert facts["runs"] == 40
    assert facts["seed"] == 3
    assert facts["tip_error"]["max"]["50"] == np.percentile(found.max, 50)
    assert facts["worst"]["values"] == found.draws(found.worst.number)
    assert set(facts["rank_correlation"]) == set(default_uncertainty(found.plan))
    assert f"of {len(found)} arms" in facts["text"]
    assert repr(found).splitlines()[1].strip() == facts["text"]


def test_sobol_indices_share_the_variance(plan):
    pytest.importorskip("SALib")
    vary = {"link.1.mass": {"from": 0.9999, "to": 1.0001}, **PAYLOAD}
    many = ulna.robustness(plan, ComputedTorque(), runs=64, vary=vary, sobol=True)
    assert many.sobol.runs == 64 * 4
    assert next(iter(many.sobol.total)) == "payload"
    assert many.sobol.total["payload"] == pytest.approx(1.0, abs=0.1)
    assert many.sobol.total["link.1.mass"] == pytest.approx(0.0, abs=0.01)


@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        ({"vary": {"link.1.mas": [1.0]}}, "link.1.mas"),
        ({"vary": {"link.3.mass": [1.0]}}, "link.3.mass"),
        ({"vary": {"path.radius": [0.1]}}, "path.radius"),
        ({"vary": {"duration": [1.0]}}, "duration"),
        ({"vary": {"design": "grid", **PAYLOAD}}, "design"),
        ({"vary": {}}, "vary"),
        ({"vary": [1.0]}, "vary"),
        ({"vary": {"link.1.mass": {"mean": 0.0, "std": 1.0}}}, "mass"),
        ({"disturbances": "pulse()"}, "disturbances"),
        ({"sensors": 1.0}, "sensors"),
        ({"on_interrupt": "stop"}, "on_interrupt"),
    ],
)
def test_what_makes_no_sense_is_refused(plan, wrong, what):
    with pytest.raises(InputError) as caught:
        ulna.robustness(plan, ComputedTorque(), **{"runs": 4} | wrong)
    assert what in str(caught.value)


def test_a_plan_of_many_joints_has_no_default():
    arm = ulna.Arm.rods([0.1] * 30, [0.1] * 30)
    path = ulna.paths.line((2.0, 0.5), (2.0, 0.6))
    with pytest.raises(InputError, match="24"):
        default_uncertainty(ulna.plan(arm, path, duration=1.0))


def test_ctrl_c_returns_the_arms_that_are_done(plan, monkeypatch):
    from ulna.sweep import robustness

    ulna_experiment = robustness._Experiment
    judged = ulna_experiment.judge
    calls = []

    def press(self, run):
        calls.append(len(run))
        if len(calls) == 4:
            raise KeyboardInterrupt
        return judged(self, run)

    monkeypatch.setattr(robustness, "BLOCK", 16)
    monkeypatch.setattr(ulna_experiment, "judge", press)
    vary = default_uncertainty(plan)
    options = {"runs": 64, "vary": vary, "seed": 1}
    with pytest.raises(ulna.Interrupted) as caught:
        ulna.robustness(plan, ComputedTorque(), **options)
    monkeypatch.undo()
    some = caught.value.result
    assert len(some) == 32
    whole = ulna.robustness(plan, ComputedTorque(), **options)
    rows = [np.flatnonzero(whole.values["payload"] == one)[0] for one in some.values["payload"]]
    assert np.array_equal(some.max, whole.max[rows])
    again = ulna.analysis.tracking(some.replay(), plan)
    assert again.max[0] == some.max.max()
