"""Files that versions before wrote: they open, and speak of settings by the names of this one."""

import json
import tarfile
from pathlib import Path

import numpy as np
import pytest

import ulna
from ulna.simulation.files import read_settings

ARCHIVE = Path(__file__).parents[2] / "data" / "older_files.tar.xz"


@pytest.fixture(scope="module")
def older(tmp_path_factory):
    folder = tmp_path_factory.mktemp("older")
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(folder, filter="data")
    return folder


def test_a_run_by_the_sequential_dynamics(older):
    settings = ulna.open_run(older / "sequential.nc").settings
    assert settings["dynamics"] == "sequential"
    assert settings["sequential_damping"] == [1.2, 2.0]
    assert settings["torque"] == ["1*t", "0"]
    assert not {"model", "friction"} & settings.keys()


def test_a_run_by_the_full_dynamics_with_all_that_can_take_part(older):
    run = ulna.open_run(older / "sensed.nc")
    assert run.settings["dynamics"] == "full"
    assert run.settings["sequential_damping"] is None
    assert run.settings["sensors"]["delay"] == 0.002
    assert len(run.settings["disturbances"]) == 2
    assert run.tau_disturbance is not None
    assert run.tip_force_disturbance is not None
    assert run.q_measured is not None


def test_a_run_of_before_can_be_repeated_from_its_settings(older):
    run = ulna.open_run(older / "sequential.nc")
    wanted = ("q0", "qd0", "method", "dt", "rtol", "atol", "dynamics", "sequential_damping")
    chosen = {name: run.settings[name] for name in (*wanted, "torque")}
    again = ulna.simulate(run.arm, **chosen, duration=0.1, samples=3)
    np.testing.assert_allclose(again.q, run.q, rtol=0.0, atol=1e-12)
    told = {"duration": 0.1, "samples": 3}  # which files of before do not
    assert again.settings == run.settings | told


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("pid", "PID(kp=(9.0, 4.0), kd=1.5, ki=2.0)"),
        ("gravity_pd", "GravityPD(kp=9.0, kd=(1.0, 0.5), model=<Arm 'desk': 2 links, "),
        ("feedforward_pid", "FeedforwardPID(kp=9.0, kd=1.0)"),
        ("computed_torque", "ComputedTorque(natural_frequency=15.0, damping_ratio=0.7, model=<Arm"),
        ("sensed", "PID()"),
    ],
)
def test_gains_of_older_files_have_the_names_of_now(older, file, text):
    assert ulna.open_run(older / f"{file}.nc").settings["controller"].startswith(text)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("PD(stiffness=1.0, frequency=2.0)", "PD(kp=1.0, natural_frequency=2.0)"),
        ("Adaptive(frequency=(1.0, 2.0), damping=3.0)", "Adaptive(bandwidth=(1.0, 2.0), kd=3.0)"),
        ("Mine(stiffness=1.0, damping=2.0)", "Mine(stiffness=1.0, damping=2.0)"),
        ("PD(model=<Arm 'damping=2': 1 link>)", "PD(model=<Arm 'damping=2': 1 link>)"),
    ],
)
def test_what_a_controller_is_called_with(text, read):
    assert read_settings({"model": "true", "controller": text})["controller"] == read
    assert read_settings({"dynamics": "full", "controller": text})["controller"] == text


@pytest.mark.parametrize("file", ["batch.nc", "batch.zarr"])
def test_batches_of_older_versions_open_with_their_settings(older, file):
    if file.endswith(".zarr"):
        pytest.importorskip("zarr")
    with ulna.open_batch(older / file) as run:
        assert run.settings["dynamics"] == "full"
        assert run.settings["controller"] == (
            "[PD(kp=9.0, kd=1.0), ComputedTorque(natural_frequency=15.0, damping_ratio=0.7)]"
        )
        assert np.asarray(run.tau).shape == run.q.shape == (2, 3, 2)
        # They were computed without friction.
        for values in (run.parameters.coulomb, run.parameters.static, run.parameters.drag):
            assert values.tolist() == [0.0, 0.0]
        assert (run.parameters.stribeck_velocity > 0.0).all()
        arms = run.parameters
    again = ulna.simulate_batch(arms, q0=np.zeros((2, 2)), duration=0.01)
    assert again.status.ok.all()


def test_a_file_that_is_saved_again_is_one_of_this_version(older, tmp_path):
    run = ulna.open_run(older / "pid.nc")
    run.save(tmp_path / "pid.nc")
    again = ulna.open_run(tmp_path / "pid.nc")
    assert again.settings == run.settings
    assert "model" not in json.loads(json.dumps(again.provenance))["settings"]


def test_robot_files_and_tables_of_points(older):
    arm = ulna.load(older / "arm.toml")
    assert (arm.name, arm.n) == ("desk", 2)
    np.testing.assert_array_equal(arm.parameters.length, [0.3, 0.2])
    assert ulna.paths.csv(older / "plan.csv").duration == pytest.approx(1.0)
    swung = ulna.paths.csv(older / "sensed.csv")
    assert swung.duration == pytest.approx(0.02)
