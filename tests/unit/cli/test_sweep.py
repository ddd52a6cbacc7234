"""`ulna sweep`: exit codes, what it says, and the command with which to go on."""

import json

import pytest

import ulna
from ulna.errors import FileError
from ulna.sweep import chunks, dask_clusters, execute
from ulna.sweep.store import SweepStore

SPEC = """format = 1
arm = "kehl"
path = "circle(center=(0.4, 0.3), radius='20 cm')"
duration = "0.05 s"
samples = 6
controller = "ComputedTorque()"

[vary]
"payload" = { from = "0 kg", to = "1 kg", count = 12 }

[keep]
scalars = ["torque.peak", "tip_error.rms"]
"""


@pytest.fixture
def sweep(ask, tmp_path, monkeypatch):
    """Return what runs the command on a file of twelve points, in four chunks."""
    monkeypatch.setattr(chunks, "FEWEST", 3)
    monkeypatch.setattr(chunks, "MOST", 3)
    (tmp_path / "mine.toml").write_text(SPEC)
    return lambda *words: ask("sweep", "mine.toml", *words)


def stop_at_third(monkeypatch, error):
    written = []

    def write(self, number, arrays, call=SweepStore.write):
        written.append(number)
        if len(written) == 3:
            raise error
        call(self, number, arrays)

    monkeypatch.setattr(SweepStore, "write", write)


def test_it_says_what_came_out_and_where_it_is(sweep, tmp_path):
    code, out, err = sweep()
    assert (code, err) == (0, "")
    assert "12 points (12 payload): 12 done" in out
    assert "ulna.open_sweep('mine.zarr')" in out
    assert (tmp_path / "mine.zarr" / "zarr.json").is_file()
    code, out, _ = sweep("--json")
    facts = json.loads(out)
    assert facts["status"] == {"done": 12}
    peak = next(one for one in facts["outputs"] if one["output"] == "torque.peak")
    assert peak["unit"] == "N·m"
    assert peak["least"] < peak["median"] < peak["largest"]


def test_a_dry_run_says_what_it_takes(sweep, tmp_path):
    code, out, _ = sweep("--dry-run", "--out", "s.zarr")
    assert code == 0
    for word in ("points", "12", "time", "memory", "disk"):
        assert word in out
    assert not (tmp_path / "s.zarr").exists()
    assert json.loads(sweep("--dry-run", "--json")[1])["points"] == 12


def test_a_full_disk_is_exit_74_with_the_command_to_go_on(sweep, monkeypatch):
    full = FileError("s.zarr: cannot be written: No space left on device")
    with monkeypatch.context() as stopped:
        stop_at_third(stopped, full)
        code, _, err = sweep("--out", "s.zarr", "--overwrite")
    assert code == 74
    assert "No space left" in err
    assert "6 of 12 points are finished" in err
    assert err.rstrip().endswith("to go on: ulna sweep mine.toml --out s.zarr")
    assert sweep("--out", "s.zarr")[0] == 0


def test_a_folder_of_something_else_is_exit_74_without_a_command(sweep, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").write_text("mine")
    code, _, err = sweep("--out", "mine", "--overwrite")
    assert (code, err.count("\n")) == (74, 1)
    assert "a folder of something else" in err
    assert (tmp_path / "mine" / "file").read_text() == "mine"


def test_ctrl_c_is_exit_130_with_the_command_to_go_on(sweep, monkeypatch):
    stop_at_third(monkeypatch, KeyboardInterrupt())
    code, _, err = sweep("--out", "s.zarr")
    assert code == 130
    assert "6 of 12 points are finished, in s.zarr; to go on: ulna sweep mine.toml" in err


def test_points_that_are_not_computed_are_exit_4(sweep, monkeypatch):
    def leave_out(job):  # as a cluster does with a chunk that keeps killing workers
        for number in job.missing[1:]:
            job.finish(number, execute.compute(job.spec, job.chunks.points(number)))

    with monkeypatch.context() as killing:
        killing.setattr(execute, "run_here", leave_out)
        code, out, err = sweep()
    assert code == 4
    assert "9 done, 3 not computed" in out
    assert "3 of 12 points are not computed: 0 to 2" in err
    assert "9 of 12 points are finished" in err
    assert err.rstrip().endswith("to go on: ulna sweep mine.toml")
    assert sweep()[0] == 0


def test_a_batch_is_named_where_a_sweep_is_meant(ask):
    ulna.simulate_batch(ulna.preset("unit"), q0=[[0.0, 0.0]], duration=0.1).save("b.zarr")
    code, _, err = ask("show", "b.zarr")
    assert code == 2
    assert "ulna.open_batch" in err


def test_points_that_fail_are_told_of(ask, tmp_path):
    (tmp_path / "far.toml").write_text(
        SPEC.replace(
            '"payload" = { from = "0 kg", to = "1 kg", count = 12 }',
            '"path.radius" = ["10 cm", "5 m"]',
        )
    )
    code, out, err = ask("sweep", "far.toml")
    assert code == 0
    assert "1 done, 1 infeasible" in out
    assert "the first, 1: infeasible" in err


def test_a_store_of_other_parameters_is_exit_2_with_the_difference(sweep, tmp_path):
    assert sweep()[0] == 0
    (tmp_path / "mine.toml").write_text(SPEC.replace("0.05 s", "0.04 s"))
    code, _, err = sweep()
    assert code == 2
    assert "--out" in err
    assert "duration: 0.05 against 0.04" in err
    assert sweep("--overwrite")[0] == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--workers", "none"), "Invalid value for '--workers'"),
        (("--workers", "0"), "--workers: got 0, need a whole number from 1"),
        (
            ("--workers", "2", "--scheduler", "tcp://127.0.0.1:9"),
            "--workers: got 2 and a scheduler",
        ),
        (("--tls-cert", "c.pem"), "--tls-ca-file, --tls-cert, --tls-key: got ['cert']"),
        (("--scheduler", "nonsense://here"), "--scheduler: got 'nonsense://here'"),
        (("--out", "mine.toml"), "--out: got a file"),
    ],
)
def test_wrong_options_are_exit_2(sweep, monkeypatch, words, told):
    monkeypatch.setattr(dask_clusters, "PATIENCE", 0.3)
    code, out, err = sweep(*words)
    assert (code, out) == (2, "")
    assert told in err


def test_wrong_files_are_exit_2_or_74(ask, tmp_path):
    (tmp_path / "bad.toml").write_text(SPEC.replace("torque.peak", "torque.peek"))
    code, _, err = ask("sweep", "bad.toml")
    assert code == 2
    assert "bad.toml:12" in err
    assert "torque.peak" in err
    assert ask("sweep", "nowhere.toml")[0] == 74
    (tmp_path / "none.toml").write_text("format = 1\n")
    assert ask("sweep", "none.toml")[0] == 2
