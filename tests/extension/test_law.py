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
from refusals import names_of, problems_of
from ulna import InputError
from ulna.cli import main
from ulna.control import CONTROLLERS, PD, Controller, Reference, law, read_controller
from ulna.control.controller_text import _known

FILE = Path(__file__).with_name("my_laws.py")
KEHL = ulna.preset("kehl")
HOLD = {"q0": [0.2, 0.1], "duration": 0.3, "reference": [1.0, 0.5]}


def held(controller, **changed):
    return ulna.simulate(KEHL, controller=controller, **{**HOLD, **changed})


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
    swing = ulna.Simulation(
        ulna.Scenario(arm=KEHL, q0=[0.2, 0.1], controller=laws.spring(), reference=[1.0, 0.5])
    )
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
    swing = ulna.Simulation(
        ulna.Scenario(arm=arm, q0=[0.0], controller=controller, reference=[1.0])
    )
    swing.advance(15.0)
    weight = ulna.dynamics.gravity_torque(arm, [1.0])
    assert swing.q == pytest.approx([1.0], abs=1e-4)
    assert 60.0 * swing.controller_state[:1] == pytest.approx(weight, rel=1e-3)


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


def test_other_gains_are_refused_as_python_does(laws):
    for call, words in (
        (lambda: laws.spring(stiffness=1.0), "unexpected keyword argument 'stiffness'"),
        (lambda: laws.spring(1.0, 2.0, 3.0), "takes 2 gains, and 3 were given"),
        (lambda: laws.deadband(), r"deadband\(\) missing its gains kp"),
    ):
        with pytest.raises(TypeError, match=words):
            call()


def test_gains_that_fit_no_arm_are_refused_in_words(laws):
    for given in ((1.0, 2.0, 3.0), np.nan, "stiff"):
        controller = laws.spring(kp=given)
        assert names_of(lambda one=controller: held(one)) == ["spring.kp"]


def test_what_is_not_called_or_not_marked_is_told_how_to_become_a_controller(laws):
    def push(t, q, qd, reference, state, tau):
        """Give nothing."""

    for given, way in ((laws.spring, "spring()"), (push, "push()")):
        (problem,) = problems_of(lambda given=given: held(given))
        assert problem.what == "controller"
        assert way in problem.hint


def named(arguments, name="own"):
    """Give a function of these arguments that writes nothing."""
    space = {}
    exec(f"def {name}({arguments}): pass", space)
    return space[name]


def _returning(t, q, qd, reference, state, tau, kp=1.0):
    return kp[0] * (reference[0, 0] - q[0])


FORM = "t, q, qd, reference, state, tau"


@pytest.mark.parametrize(
    ("given", "what"),
    [
        *((named(f"{FORM}, {more}"), "law own") for more in ("*, kp", "*gains", "**gains")),
        (named("t, q"), "law own"),
        (named(f"{FORM}, kp='stiff'"), "law own, kp"),
        (_returning, "law _returning"),
        (lambda t, q, qd, reference, state, tau: None, "law"),
        *((given, "law") for given in (5, print, PD)),
    ],
)
def test_what_is_no_law_is_refused(given, what):
    assert names_of(lambda: law(given)) == [what]


@pytest.mark.parametrize("given", [["a"], [np.nan], 5, "12", [[1.0, 2.0]], None])
def test_a_state_that_is_no_row_of_numbers_is_refused(given):
    assert names_of(lambda: law(state=given)) == ["state"]


@pytest.mark.parametrize("name", ["PID", "pid", "P_I_D", "computed_torque"])
def test_no_law_takes_the_name_of_one_of_ours(name):
    (problem,) = problems_of(lambda: law(named(FORM, name)))
    assert f"my_{name}" in problem.hint
    assert CONTROLLERS["PID"].build is ulna.control.PID
    assert name == "PID" or name not in CONTROLLERS


def test_sines_are_those_of_one_arm_and_of_lanes(laws):
    arm = ulna.Arm.rods([0.5], [1.0])
    weight = float(ulna.dynamics.gravity_torque(arm, [0.0])[0])
    still = {"duration": 0.5, "controller": laws.weightless(weight=weight)}
    for angle in (0.3, -2.0, 40.0):
        assert ulna.simulate(arm, q0=[angle], **still).q[-1] == pytest.approx([angle], abs=1e-9)
    angles = np.linspace(-9.0, 9.0, 40)[:, None]
    batch = ulna.simulate_batch(arm, q0=angles, **still)
    assert batch.q[:, -1] == pytest.approx(angles, abs=1e-9)


def _maximal(t, q, qd, reference, state, tau):
    tau[0] = max(q[0], 0.0)


def _squaring(t, q, qd, reference, state, tau):
    tau[0] = q[0] ** 2


def _turning(t, q, qd, reference, state, tau):
    tau[0] = np.sin(q[0])


def _in_arrays(t, q, qd, reference, state, tau, kp=1.0):
    tau[:] = kp * (reference[0] - q)


def plain(x):
    return 2.0 * x


def _calling(t, q, qd, reference, state, tau):
    tau[0] = plain(q[0])


def _deciding(t, q, qd, reference, state, tau):
    if q[0] > 0.0 and q[1] > 0.0:
        tau[0] = 1.0


def _raising(t, q, qd, reference, state, tau):
    if t > 1.0:
        raise ValueError


def _printing(t, q, qd, reference, state, tau):
    print(t)


@pytest.mark.parametrize(
    ("function", "got", "hint"),
    [
        (_deciding, "a branch on a number", "select(condition, yes, no)"),
        (_maximal, "max()", "select(a > b, a, b)"),
        (_squaring, "a power", "x * x"),
        (_turning, "sin()", "sincos(angle)"),
        (_in_arrays, "an array that is made anew", "for i in range"),
        (_calling, "a call of plain()", "@inner"),
        (_raising, "raise or assert", "write NaN to tau"),
        (_printing, "print()", "NUMBA_DISABLE_JIT=1"),
    ],
)
def test_what_cannot_be_compiled_is_told_with_its_line_and_a_way_out(function, got, hint):
    line = function.__code__.co_firstlineno + 1 + (function is _raising)
    made = law(function)()
    for call in (
        lambda: held(made),
        lambda: ulna.simulate_batch(KEHL, controller=made, **{**HOLD, "q0": [[0.0, 0.0]] * 2}),
    ):
        (problem,) = problems_of(call)
        assert problem.what == f"law {function.__name__}, line {line}"
        assert got in problem.got
        assert hint in problem.hint


def test_a_name_that_is_not_there_is_told_as_such():
    @law
    def _naming(t, q, qd, reference, state, tau):
        tau[0] = nowhere  # noqa: F821

    with pytest.raises(InputError, match=r"law _naming: got NameError: name 'nowhere' is not de"):
        ulna.simulate_batch(KEHL, controller=_naming(), **{**HOLD, "q0": [[0.0, 0.0]] * 2})
