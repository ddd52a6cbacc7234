"""A member of a batch is drawn, filmed, reported and saved as a run is."""

import pickle

import numpy as np
import pytest
from matplotlib.figure import Figure

import ulna
from ulna import viewer

RODS = ulna.Arm.rods([1.0, 1.0], [1.0, 1.0])
PLAN = ulna.plan(RODS, ulna.paths.line((1.2, 0.5), (1.0, 0.8)), duration=0.2)
STARTS = [[0.1, 0.2, 0.1], [0.3, 0.4, 0.1]]


def batches():
    control = ulna.control.ComputedTorque(model=RODS)
    followed = {"reference": PLAN, "samples": 21, "controller": control}
    swings = {"duration": 0.2, "samples": 21}
    arms = ulna.stack([RODS.with_payload(mass) for mass in (0.0, 1.0)])
    return {
        "parameters": ulna.simulate_batch(arms, **followed),
        "torques": ulna.simulate_batch(
            RODS, q0=[[0.1, 0.2], [0.3, 0.4]], keep_torques=True, **swings
        ),
        "motors": ulna.simulate_batch(ulna.preset("so-101"), q0=STARTS, **swings),
        "failed": ulna.simulate_batch(
            RODS, q0=[[0.1, 0.2]] * 2, torque=["0, 0", "sqrt(0.1 - t), 0"], **swings
        ),
    }  # fmt: skip


@pytest.fixture(scope="module")
def members():
    return {name: batch[1] for name, batch in batches().items()}


@pytest.mark.parametrize("name", ["parameters", "torques", "motors", "failed"])
def test_whatever_takes_a_run_takes_a_member(name, members, tmp_path):
    member = members[name]
    assert viewer.run_figure(member).axes
    assert ulna.plot(member).axes
    viewer.animate(member, tmp_path / "film.gif", size=(64, 64), fps=10.0)
    ulna.report(member, tmp_path / "page.html")
    member.save(tmp_path / "run.nc")
    saved = ulna.open_run(tmp_path / "run.nc")
    assert np.array_equal(saved.q, member.run.q)
    assert saved.arm == member.run.arm
    for draw in (viewer.plot_angles, viewer.plot_torques, viewer.plot_energy, viewer.plot_motion):
        assert draw(Figure().add_subplot(), member).has_data()
    assert viewer.plot_projection(Figure().add_subplot(), member, 1).has_data()
    assert np.array_equal(pickle.loads(pickle.dumps(member)).run.q, member.run.q)


def test_a_member_along_a_plan_is_drawn_beside_it(members, tmp_path):
    member = members["parameters"]
    assert ulna.plot(ulna.analysis.tracking(member, PLAN)).axes
    assert ulna.plot(PLAN, run=member).axes
    ulna.report(member, tmp_path / "one.html", plan=PLAN)
    ulna.report({"heavy": member}, tmp_path / "two.html", plan=PLAN)


def test_its_run_ends_where_the_member_does(members):
    member = members["failed"]
    assert member.run.status.reason == "bad torque"
    assert member.run.t[-1] <= 0.1 < member.t[-1]
    assert np.isfinite(member.run.q).all()
    assert np.isnan(member.run.tau).all()  # which the batch did not keep
