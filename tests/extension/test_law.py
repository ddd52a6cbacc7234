"""A law that is written outside of the package runs wherever a controller does."""

import copy
import importlib.util
import json
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import ulna
from ulna import InputError
from ulna.cli import main
from ulna.control import CONTROLLERS, PD, Controller, Reference, law, read_controller
from ulna.control.controller_text import _known

FILE = Path(__file__).with_name("my_laws.py")
KEHL = ulna.preset("kehl")
HOLD = {"q0": [0.2, 0.1], "duration": 0.3, "reference": [1.0, 0.5]}


@pytest.fixture(scope="module")
def laws():
    before = dict(_known)
    spec = importlib.util.spec_from_file_location("my_laws", FILE)
    module = sys.modules["my_laws"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    _known.clear()
    _known.update(before)
    del sys.modules["my_laws"]


def test_springs_and_dampers_are_those_of_pd_to_the_last_bit(laws):
    ours = ulna.simulate(KEHL, controller=laws.spring(kp=(300.0, 90.0)), **HOLD)
    theirs = ulna.simulate(KEHL, controller=PD((300.0, 90.0), 40.0), **HOLD)
    assert ours.status.ok
    for name in ("q", "qd", "tau"):
        assert (getattr(ours, name) == getattr(theirs, name)).all()


@pytest.mark.parametrize("precision", ["double", "single"])
def test_in_lanes_they_are_too(laws, precision):
    starts = np.random.default_rng(1).uniform(-1.0, 1.0, (40, 2))
    options = {**HOLD, "q0": starts, "precision": precision}
    ours = ulna.simulate_batch(KEHL, controller=laws.spring(), **options)
    theirs = ulna.simulate_batch(KEHL, controller=PD(400.0, 40.0), **options)
    assert (ours.q == theirs.q).all()
    assert (ours.qd == theirs.qd).all()


def test_every_arm_of_a_batch_may_have_gains_of_its_own(laws):
    stiff, soft = laws.spring(), laws.spring(kp=100.0)
    run = ulna.simulate_batch(KEHL, controller=[stiff, soft, PD(400.0, 40.0)], **HOLD)
    for k, controller in enumerate([stiff, soft, stiff]):
        alone = ulna.simulate_batch(KEHL, controller=controller, **{**HOLD, "q0": [HOLD["q0"]]})
        assert (run.q[k] == alone.q[0]).all()


def test_both_kinds_of_simulation_step_with_it(laws):
    swing = ulna.Simulation(KEHL, q0=[0.2, 0.1], controller=laws.spring(), reference=[1.0, 0.5])
    swing.advance(0.1)
    copied, pickled = copy.deepcopy(swing), pickle.loads(pickle.dumps(swing))
    for one in (swing, copied, pickled):
        one.advance(0.2)
    whole = ulna.simulate(KEHL, controller=laws.spring(), **HOLD)
    assert swing.q == pytest.approx(whole.q[-1], abs=1e-12)
    assert (copied.q == swing.q).all()
    assert (pickled.q == swing.q).all()
    batch = ulna.BatchSimulation(
        KEHL, q0=[[0.2, 0.1]] * 3, controller=laws.spring(), reference=[1.0, 0.5]
    )
    batch.advance(0.3)
    assert batch.q == pytest.approx(np.tile(swing.q, (3, 1)), abs=1e-9)


def test_what_it_keeps_becomes_the_load(laws):
    arm = ulna.Arm.rods([0.5], [1.0])
    controller = laws.deadband(kp=60.0, ki=60.0)
    swing = ulna.Simulation(arm, q0=[0.0], controller=controller, reference=[1.0])
    swing.advance(15.0)
    weight = ulna.dynamics.gravity_torque(arm, [1.0])
    assert swing.q == pytest.approx([1.0], abs=1e-4)
    assert 60.0 * swing.controller_state[:1] == pytest.approx(weight, rel=1e-3)


def test_within_its_width_it_rests_beside_its_set_point(laws):
    arm = ulna.Arm.rods([0.5], [1.0], gravity=(0.0, 0.0))
    run = ulna.simulate(
        arm, q0=[0.0], duration=6.0, controller=laws.deadband(20.0, width=0.1), reference=[1.0]
    )
    assert run.q[-1] == pytest.approx([0.9], abs=1e-3)


def test_called_from_python_it_gives_the_same(laws):
    controller = laws.deadband(kp=(50.0, 20.0), ki=30.0, width=0.05)
    assert isinstance(controller, Controller)
    compiled, state = controller.compiled(KEHL), controller.start(KEHL)
    rows, tau = compiled.state.copy(), np.zeros((2, 1))
    for t in (0.0, 0.01, 0.02):
        q, qd, asked = np.array([0.1, t]), np.array([t, 1.0]), np.array([[1.0, t]] * 3)
        columns = q[:, None].copy(), qd[:, None].copy(), asked[..., None].copy()
        compiled.law(t, *columns, compiled.params, rows, tau)
        found, state = controller.torque(t, q, qd, Reference(*asked), state)
        assert found.tolist() == tau[:, 0].tolist()


def test_torques_that_are_no_numbers_end_a_run_with_its_name(laws):
    run = ulna.simulate(KEHL, controller=laws.spring(kd=1e308, kp=1e308), **{**HOLD, "qd0": [9, 9]})
    assert run.status.reason == "controller failed"
    assert "spring.torque gave" in run.status.text


def test_it_is_a_value_that_is_written_as_it_is_read(laws):
    controller = laws.deadband([50, 20], width=np.float64(0.1))
    assert repr(controller) == "deadband(kp=(50, 20), width=0.1)"
    assert controller == read_controller("deadband(kp=(50, 20), width=0.1)")
    assert hash(controller) == hash(laws.deadband(kp=(50, 20), width=0.1))
    assert controller != laws.deadband(kp=(50, 20))
    assert pickle.loads(pickle.dumps(controller)) == controller
    assert controller.kd == 8.0
    assert read_controller("spring(kp='400 N*m/rad')") == laws.spring()
    with pytest.raises(AttributeError, match="spring has no gain 'ki'"):
        _ = laws.spring().ki


def test_it_is_listed_and_run_at_the_command_line(laws, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["list", "controllers", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["controllers"]
    about = "A spring and an integral that leave small errors alone"
    gains = ["kp", "kd", "ki", "width"]
    assert {"name": "deadband", "parameters": gains, "about": about} in listed
    words = ["simulate", "kehl", "--q0", "0.2, 0.1", "--reference", "1, 0.5", "--duration", "0.3"]
    assert main([*words, "--controller", "spring(kp=(300, 90))", "--out", "run.nc"]) == 0
    kept = ulna.open_run("run.nc")
    run = ulna.simulate(KEHL, controller=laws.spring((300.0, 90.0)), **HOLD)
    assert (kept.q[-1] == run.q[-1]).all()


def test_the_command_line_knows_the_laws_of_installed_packages(tmp_path):
    # What pip leaves of a package that names its module as an entry point.
    (tmp_path / "their_laws.py").write_text(FILE.read_text("utf-8"), encoding="utf-8")
    facts = tmp_path / "their_laws-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: their-laws\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text("[ulna]\nlaws = their_laws\n")
    paths = [str(tmp_path), str(Path(ulna.__file__).parents[1])]
    code = f"import sys; sys.path[:0] = {paths}; from ulna.cli import main; sys.exit(main())"
    start = ["--q0", "0, 0", "--reference", "0, 0", "--duration", "1"]
    for words, shows in [
        (["list", "controllers"], "leave small errors alone"),
        (["simulate", "kehl", *start, "--controller", "sprin()"], "'spring'"),
    ]:
        done = subprocess.run(
            [sys.executable, "-c", code, *words], capture_output=True, text=True, check=False
        )
        assert shows in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda laws: laws.spring(stiffness=1.0),
            r"unexpected .* 'stiffness'; did you mean 'kp'\?",
        ),
        (lambda laws: laws.spring(1.0, 2.0, 3.0), "takes 2 gains, and 3 were given"),
        (lambda laws: laws.deadband(), r"deadband\(\) missing its gains kp"),
    ],
)
def test_other_gains_are_refused_as_python_does(laws, call, words):
    with pytest.raises(TypeError, match=words):
        call(laws)


def test_gains_that_fit_no_arm_are_refused_in_words(laws):
    need = r"spring\.kp: got .*, need a finite number, or 2 of them, one a joint"
    for given in ((1.0, 2.0, 3.0), np.nan, "stiff"):
        with pytest.raises(InputError, match=need):
            ulna.simulate(KEHL, controller=laws.spring(kp=given), **HOLD)
    with pytest.raises(InputError, match=r"make one, with parentheses: spring\(\)"):
        ulna.simulate(KEHL, controller=laws.spring, **HOLD)


def test_a_function_of_other_arguments_is_no_law():
    with pytest.raises(InputError, match=r"law push: got \(t, q\), need \(t, q, qd, reference"):

        @law
        def push(t, q):
            """Give nothing."""


def test_no_law_takes_the_name_of_one_of_ours():
    with pytest.raises(InputError, match="law: got PID, need another name"):

        @law
        def PID(t, q, qd, reference, state, tau):  # noqa: N802
            """Give nothing."""

    assert CONTROLLERS["PID"].build is ulna.control.PID


def test_what_cannot_be_compiled_is_told_in_words():
    @law
    def _branching(t, q, qd, reference, state, tau):
        for i in range(len(q)):
            tau[i] = 1.0 if q[i] > 0.0 else -1.0

    words = r"law _branching, line \d+: got .*need a function that Numba compiles.*write select\("
    with pytest.raises(InputError, match=words):
        ulna.simulate(KEHL, controller=_branching(), **HOLD)


def test_a_name_that_is_not_there_is_told_as_such():
    @law
    def _naming(t, q, qd, reference, state, tau):
        tau[0] = nowhere  # noqa: F821

    with pytest.raises(InputError, match=r"law _naming: got NameError: name 'nowhere' is not de"):
        ulna.simulate_batch(KEHL, controller=_naming(), **{**HOLD, "q0": [[0.0, 0.0]] * 2})
