"""`ulna show`: the same numbers as when the run was made, and how it was made."""

import json

import numpy as np
import pytest

import ulna
from ulna.control import PD
from ulna.scenario import disturbances


@pytest.fixture
def swing(ask):
    """Save a run of a second, and give what was printed of it."""
    code, out, _ = ask(
        "simulate", "bechard-1", "--q0", "0.5", "--torque", "3*t", "--duration", "1 s",
        "--out", "swing.nc",
    )  # fmt: skip
    assert code == 0
    return out


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def test_it_prints_what_the_run_printed(ask, swing):
    code, out, err = ask("show", "swing.nc")
    assert (code, err) == (0, "")
    then, now = swing.splitlines(), out.splitlines()
    assert now[:8] == then[:8]
    assert now[8] == "ran to t = 1 s"
    assert then[8].startswith("ran to t = 1 s; computed at")


def test_it_tells_how_the_run_was_made(ask, swing):
    _, out, _ = ask("show", "swing.nc")
    rows = (line.split(maxsplit=1) for line in out.partition("made with")[2].splitlines())
    made = dict(row for row in rows if len(row) == 2)
    del made["what"]
    assert made["method"].strip() == "dop853, relative error 1e-09 a step, absolute 1e-12"
    assert made["start"].strip() == "angles 0.5 rad, at rest"
    assert made["torque"].strip() == "3*t N·m"
    assert f"ulna {ulna.__version__}, python " in made["versions"]
    assert set(made) == {"method", "start", "torque", "versions"}


def test_json_is_that_of_the_run(ask):
    words = [
        "simulate",
        "bechard-1",
        "--q0",
        "0.5",
        "--duration",
        "0.1 s",
        "--out",
        "a.nc",
        "--json",
    ]
    then = json.loads(ask(*words)[1])
    now = json.loads(ask("show", "a.nc", "--json")[1])
    assert then.pop("files") == ["a.nc"]
    assert now.pop("files") == []
    assert now == then


def test_it_draws_films_and_tabulates(ask, swing, tmp_path):
    words = ["show", "swing.nc", "--plot", "s.svg", "--film", "s.gif", "--csv", "s.csv"]
    words += ["--film-speed", "40"]
    code, out, err = ask(*words)
    assert (code, err) == (0, "")
    assert out.endswith("written: s.csv, s.svg, s.gif\n")
    assert files(tmp_path) == ["s.csv", "s.gif", "s.svg", "swing.nc"]
    before = (tmp_path / "s.csv").read_bytes()
    code, out, err = ask(*words)
    assert (code, out) == (2, "")
    assert err.count("add --overwrite to replace it") == 3
    assert ask(*words, "--overwrite", "--json")[0] == 0
    assert (tmp_path / "s.csv").read_bytes() == before


def test_a_page_tells_the_run_and_stays_where_it_is(ask, swing, tmp_path):
    code, out, err = ask("show", "swing.nc", "--html", "swing.html")
    assert (code, err) == (0, "")
    assert "written: swing.html" in out
    page = (tmp_path / "swing.html").read_text("utf-8")
    assert "ran to t = 1 s" in page
    assert "ulna show swing.nc --html swing.html" in page
    code, out, err = ask("show", "swing.nc", "--html", "swing.html")
    assert (code, out) == (2, "")
    assert "swing.html" in err
    assert "--overwrite" in err
    assert (tmp_path / "swing.html").read_text("utf-8") == page


def saved(arm, folder, **options):
    ulna.simulate(arm, duration=0.2, **options).save(folder / "run.nc")


def test_whatever_python_can_do_is_put_in_words(ask, tmp_path):
    joints = [ulna.Joint(lower=-0.1, upper=3.0, max_torque=50.0), ulna.Joint()]
    arm = ulna.Arm.rods([1.0, 1.0], [1.0, 1.0], joints=joints)
    saved(
        arm,
        tmp_path,
        q0=[0.0, 0.0],
        qd0=[0.0, 1.0],
        controller=PD(5.0, 1.0),
        method="rk4",
        restitution=0.5,
        tip_force=lambda t: [0.0, -5.0],
        disturbances=[disturbances.pulse([1.0, 0.0], at=0.1, lasting=0.05)],
        events={"low": "y < -0.05"},
    )
    code, out, _ = ask("show", "run.nc")
    assert code == 0
    assert out.startswith("run.nc: 0.2 s with rk4, 201 samples\n")
    for words in (
        "rk4, steps of 0.001 s",
        "angles 0, 0 rad, speeds 0, 1 rad/s",
        "the function <lambda>",
        "PD(kp=5.0, kd=1.0) at 1000 Hz",
        "low: y < -0.05",
        "torque 1, 0 N·m, from 0.1 s to 0.15 s",
        "at the joint limits, restitution 0.5",
        "joint 1 hit its lower stop",
        "event 'low' once, at t = 0.",
    ):
        assert words in out


def test_tables_and_the_sequential_model_are_put_in_words(ask, tmp_path):
    arm = ulna.preset("bechard-skater")
    table = ([0.0, 0.1], [[1.0, 2.0], [3.0, 4.0]])
    model = {"dynamics": "sequential", "sequential_damping": [1.2, 2.0]}
    saved(arm, tmp_path, q0=[0.0, 0.0], torque=table, samples=1, **model)
    _, out, _ = ask("show", "run.nc")
    assert out.startswith("bechard-skater: 0.2 s with dop853, sequential model, 1 sample\n")
    assert "a table of 2 rows until 0.1 s, held" in out
    assert "sequential, damping 1.2, 2 per second" in out
    saved(arm, tmp_path, q0=[0.0, 0.0], torque=table, between="linear", stops=False)
    assert "a table of 2 rows until 0.1 s, linear" in ask("show", "run.nc")[1]


def test_stops_that_were_off_are_told(ask, tmp_path):
    arm = ulna.Arm.rods([1.0], [1.0], joints=[ulna.Joint(lower=-0.1)])
    saved(arm, tmp_path, q0=[0.0], stops=False)
    assert any(line.split() == ["stops", "off"] for line in ask("show", "run.nc")[1].splitlines())


def test_many_kinds_of_events_are_cut_short(ask, tmp_path):
    events = {f"at {k}": f"t - {0.02 * k}" for k in range(1, 9)}
    saved(ulna.preset("bechard-1"), tmp_path, q0=[0.0], events=events)
    _, out, _ = ask("show", "run.nc")
    assert "event 'at 5' once, at t = 0.1 s\nand 3 more events\n" in out


def test_a_run_that_failed_is_shown_in_peace(ask, tmp_path):
    arm = ulna.preset("bechard-1")
    run = ulna.simulate(arm, q0=[0.0], torque="1e5*qd1 + 1", duration=9.0, method="rk4", dt=0.1)
    assert run.status.reason == "diverged"
    run.save(tmp_path / "wild.nc")
    code, out, err = ask("show", "wild.nc", "--plot", "wild.png")
    assert (code, err) == (0, "")
    assert "\ndiverged at t = " in out


def test_a_run_made_by_other_means_is_shown(ask, tmp_path):
    arm = ulna.preset("bechard-1").replace(name="")
    made = ulna.simulate(arm, q0=[0.3], duration=0.1)
    arrays = {name: getattr(made, name) for name in ("t", "q", "qd", "qdd", "tau", "tip_force")}
    energies = {"injected": made.injected, "dissipated": made.dissipated}
    ulna.Run(arm, **arrays, **energies, status=made.status).save(tmp_path / "own.nc")
    code, out, _ = ask("show", "own.nc")
    assert code == 0
    assert out.startswith("own.nc: 0.1 s, 101 samples\n")
    assert np.degrees(0.3).round(4).astype(str) in out


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        ([], 2, "FILE"),
        (["nowhere.nc"], 74, "nowhere.nc: cannot be read: "),
        (["swing.csv"], 2, "need a .nc file: only that holds a whole run"),
        (["text.nc"], 2, "text.nc: file: got something else, need a run"),
        (["cut.nc"], 74, "cut.nc: cannot be read: "),
        (["swing.nc", "--plot", "x.doc"], 2, "--plot: got 'x.doc', need a name that ends in .png"),
        (["swing.nc", "--film", "x.mov"], 2, "--film: got 'x.mov', need a name that ends in .mp4"),
        (["swing.nc", "--film", "x.mp4", "--film-speed", "-1"], 2, "--film-speed: got -1.0"),
        (["swing.nc", "--csv", "x.txt"], 2, "--csv: got 'x.txt', need a name that ends in .csv"),
        (["swing.nc", "--csv", "swing.nc"], 2, "--csv: got 'swing.nc', need a name"),
        (["swing.nc", "--plot", "nowhere/x.png"], 74, "there is no folder nowhere"),
        (["swing.nc", "--html", "x.pdf"], 2, "--html: got 'x.pdf', need a name that ends in .html"),
        (["swing.nc", "--html", "nowhere/x.html"], 74, "there is no folder nowhere"),
        (["."], 2, "got a folder of something else, need a folder that `ulna sweep` has made"),
    ],
)
def test_wrong_words_get_a_sentence(ask, swing, tmp_path, words, code, says):
    (tmp_path / "text.nc").write_text("not a run")
    (tmp_path / "cut.nc").write_bytes((tmp_path / "swing.nc").read_bytes()[:3000])
    before = files(tmp_path)
    found, out, err = ask("show", *words)
    assert (found, out) == (code, "")
    assert says in err
    assert files(tmp_path) == before


def test_a_film_of_a_long_run_asks_for_speed(ask, tmp_path):
    saved(ulna.preset("bechard-1"), tmp_path, q0=[0.0])
    code, _, err = ask("show", "run.nc", "--film", "x.gif", "--film-speed", "0.0001")
    assert code == 2
    assert "play it faster with --film-speed 0.0003" in err
