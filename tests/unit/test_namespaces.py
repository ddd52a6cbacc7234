"""What packages offer at TAB, and what they answer to names that people try first."""

import importlib
import inspect
import pickle
import pkgutil
import re

import pytest
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell

import ulna
from tabular import tabular
from ulna import analysis, angles, control, dynamics, kinematics, motion, viewer
from ulna.kinematics.forward_kinematics import Transforms
from ulna.namespaces import suggest_keywords

PACKAGES = (analysis, control, dynamics, kinematics, motion, ulna.paths, viewer)


def offered(package):
    return [name for name in dir(package) if not name.startswith("_")]


@pytest.fixture(scope="module")
def shell():
    made = InteractiveShell.instance()
    yield made
    InteractiveShell.clear_instance()


@pytest.mark.parametrize("jedi", [True, False])
@pytest.mark.parametrize("words", ["kinematics.", "ulna.kinematics."])
def test_tab_offers_functions_of_kinematics_only(shell, jedi, words):
    shell.user_ns.update(ulna=ulna, kinematics=kinematics)
    shell.Completer.use_jedi = jedi
    with provisionalcompleter():
        found = [one.text.lstrip(".") for one in shell.Completer.completions(words, len(words))]
    assert {"tip", "inverse", "track", "workspace", "jacobian"} <= set(found)
    assert all(inspect.isroutine(getattr(kinematics, name)) for name in found)


def test_everything_that_is_public_can_be_had():
    for package in PACKAGES:
        assert all(hasattr(package, name) for name in package.__all__)
        assert set(offered(package)) <= set(package.__all__)


def test_dynamics_also_offers_the_other_statements_of_its_physics():
    modules = {name for name in offered(dynamics) if inspect.ismodule(getattr(dynamics, name))}
    assert modules == {"absolute", "chain", "sequential"}


def test_control_offers_controllers():
    assert {"PD", "PID", "ComputedTorque", "read_controller"} <= set(offered(control))
    assert not {"Timing", "CompiledLaw", "pid", "timing"} & set(offered(control))


def test_motion_and_angles_offer_their_public_names():
    assert set(offered(motion)) == set(motion.__all__)
    assert set(offered(angles)) == set(angles.__all__)


@pytest.mark.parametrize("package", [kinematics, motion])
def test_no_file_has_the_name_of_a_function(package):
    files = {module.name for module in pkgutil.iter_modules(package.__path__)}
    assert files.isdisjoint(set(package.__all__) - {"paths"})


def test_paths_are_functions_only():
    assert all(inspect.isfunction(getattr(ulna.paths, name)) for name in offered(ulna.paths))


@tabular(
    ("package", "name", "instead"),
    [
        (kinematics, "forward", "kinematics.tip(arm, q)"),
        (kinematics, "fk", "kinematics.tip(arm, q)"),
        (kinematics, "forward_kinematics", "kinematics.joints(arm, q)"),
        (kinematics, "inverse_kinematics", "kinematics.inverse(arm, target)"),
        (kinematics, "tip_position", "kinematics.tip(arm, q)"),
        (kinematics, "end_effector", "kinematics.tip(arm, q)"),
        (kinematics, "ik", "kinematics.inverse(arm, target)"),
        (kinematics, "solve", "kinematics.inverse(arm, target)"),
        (kinematics, "J", "kinematics.jacobian(arm, q)"),
        (kinematics, "reachable", "kinematics.workspace(arm).contains(points)"),
        (kinematics, "elbow_up", "kinematics.inverse(arm, target).elbow_up"),
        (motion, "circle", "motion.paths.circle()"),
        (motion, "trapezoidal", "timing='trapezoid'"),
        (motion, "trajectory", "motion.plan(arm, path)"),
        (ulna.paths, "straight", "paths.line(start, end)"),
        (ulna.paths, "figure_eight", "paths.lemniscate(center, radius)"),
        (ulna.paths, "from_svg", "paths.svg(file)"),
        (ulna.paths, "waypoints", "paths.polyline(corners)"),
        (angles, "wrap_to_pi", "angles.wrap(angle)"),
        (angles, "unwarp", "did you mean 'unwrap'?"),
        (dynamics, "rnea", "dynamics.inverse_dynamics(arm, q, qd, qdd)"),
        (dynamics, "aba", "dynamics.forward_dynamics(arm, q, qd, tau)"),
        (dynamics, "crba", "dynamics.mass_matrix(arm, q)"),
        (dynamics, "linearize", "dynamics.linearise(arm, q, qd, tau)"),
        (dynamics, "inertia_matrix", "dynamics.mass_matrix(arm, q)"),
        (dynamics, "lagrangian", "ulna.derive(links)"),
        (control, "pid", "control.PID()"),
        (control, "CTC", "control.ComputedTorque()"),
        (control, "LQR", "start(arm) and torque(t, q, qd, reference, state)"),
        (analysis, "rmse", "analysis.tracking(run, plan)"),
        (analysis, "phase_portrait", "analysis.portrait(arm, ...)"),
        (kinematics, "jacobain", "did you mean 'jacobian'?"),
        (viewer, "imshow", "figure.savefig"),
    ],
)
def test_a_first_guess_is_told_what_to_call(package, name, instead):
    with pytest.raises(AttributeError) as caught:
        getattr(package, name)
    start = f"module {package.__name__!r} has no attribute {name!r}; "
    assert str(caught.value).startswith(start)
    assert instead in str(caught.value)


def test_every_guess_names_a_function_that_is_there():
    for package in PACKAGES:
        for text in package._guesses:
            names = [word.split("(")[0] for word in text.replace(",", " ").split() if "(" in word]
            for name in names:
                room, _, function = name.rpartition(".")
                if room in ("kinematics", "dynamics", "control", "analysis", "motion", "viewer"):
                    assert callable(getattr(importlib.import_module(f"ulna.{room}"), function))
                if room in ("paths", "motion.paths"):
                    assert callable(getattr(ulna.paths, function))


def test_what_nobody_would_guess_is_just_not_there():
    with pytest.raises(AttributeError, match=r"has no attribute 'zzz'$"):
        kinematics.zzz  # noqa: B018
    assert not hasattr(kinematics, "__wrapped__")


def test_files_behind_guesses_can_be_imported():
    # Their names are not attributes of the package, which pickles must not need.
    forward = importlib.import_module("ulna.kinematics.forward_kinematics")
    assert forward.transforms is kinematics.transforms
    assert pickle.loads(pickle.dumps(Transforms)) is Transforms
    assert pickle.loads(pickle.dumps(control.PID())) == control.PID()


ARM = ulna.Arm.rods([1.0], [1.0])


@tabular(
    ("call", "message"),
    [
        (
            lambda: ulna.simulate(ARM, q0=[0.0], torqe=[1.0]),
            "simulate() got an unexpected keyword argument 'torqe'; did you mean 'torque'?",
        ),
        (lambda: ulna.simulate(ARM, q0=[0.0], model="full"), "'model'; did you mean 'dynamics'?"),
        (
            lambda: ulna.simulate(ARM, q0=[0.0], friction=[1.0]),
            "'friction'; did you mean 'sequential_damping'?",
        ),
        (
            lambda: ulna.Simulation(ARM, q0=[0.0], controler=None),
            "Simulation.__init__() got an unexpected keyword argument 'controler'; "
            "did you mean 'controller'?",
        ),
        (
            lambda: ulna.simulate_batch(ARM, q0=[0.0], sample=3),
            "simulate_batch() got an unexpected keyword argument 'sample'; did you mean 'samples'?",
        ),
        (
            lambda: ulna.simulate_batch(ARM, q0=[0.0], force=True),
            "'force'; did you mean 'overwrite'?",
        ),
        (
            lambda: ulna.simulate_batch(ARM, q0=[0.0], torques=True),
            "'torques'; did you mean 'keep_torques'?",
        ),
        (
            lambda: ulna.BatchSimulation(ARM, q0=[0.0], thread=2),
            "BatchSimulation() got an unexpected keyword argument 'thread'; "
            "did you mean 'threads'?",
        ),
        (
            lambda: ulna.Arm.rods([1.0], [1.0], gravty=(0.0, 0.0)),
            "Arm.rods() got an unexpected keyword argument 'gravty'; did you mean 'gravity'?",
        ),
        (
            lambda: ulna.Arm.point_masses([1.0], [1.0], payloads=1.0),
            "'payloads'; did you mean 'payload'?",
        ),
        (
            lambda: ulna.plan(ARM, ulna.paths.circle(center=(1.0, 0.0), radius=0.1), durtion=1.0),
            "plan() got an unexpected keyword argument 'durtion'; did you mean 'duration'?",
        ),
        (
            lambda: ulna.Joint(max_speed=1.0),
            "Joint.__init__() got an unexpected keyword argument 'max_speed'; "
            "did you mean 'max_velocity'?",
        ),
        (lambda: ulna.Link(1.0, mas=1.0), "'mas'; did you mean 'mass'?"),
        (lambda: ulna.animate(None, force=True), "'force'; did you mean 'overwrite'?"),
        (lambda: ulna.derive(conventon="absolute"), "'conventon'; did you mean 'convention'?"),
        (lambda: ulna.Sensors(latency=0.1), "'latency'; did you mean 'delay'?"),
        (
            lambda: ulna.simulate(ARM, q0=[0.0], zzz=1),
            "simulate() got an unexpected keyword argument 'zzz'",
        ),
    ],
)
def test_a_misspelt_keyword_is_refused_with_the_one_that_was_meant(call, message):
    with pytest.raises(TypeError) as caught:
        call()
    assert str(caught.value).endswith(message)


def test_a_type_error_from_inside_is_left_alone():
    def torque(t):
        return [t, *t]

    with pytest.raises(TypeError, match="Value after \\* must be an iterable"):
        ulna.simulate(ARM, q0=[0.0], torque=torque, duration=0.1, on_error="raise")


def test_a_misspelt_keyword_of_a_function_that_is_called_inside_is_left_alone():
    def inside(*, speed):
        return speed

    @suggest_keywords()
    def outside(*, sped):
        return inside(sped=sped)

    with pytest.raises(TypeError) as caught:
        outside(sped=1.0)
    assert str(caught.value).endswith("got an unexpected keyword argument 'sped'")


@pytest.mark.parametrize(
    "called",
    [ulna.simulate, ulna.simulate_batch, ulna.Simulation, ulna.BatchSimulation, ulna.Arm.rods],
)
def test_signatures_show_every_option_with_its_type_and_default(called):
    parameters = inspect.signature(called).parameters.values()
    hidden = [one for one in parameters if one.kind is one.VAR_KEYWORD and one.name != "refused"]
    assert hidden == []
    assert all(one.annotation not in (one.empty, "Any") for one in parameters)


@tabular(
    ("call", "instead"),
    [
        (lambda: ulna.simulate(ulna.preset("unit"), T=1.0), "did you mean 'duration'?"),
        (lambda: ulna.simulate(ulna.preset("unit"), integrator="rk4"), "did you mean 'method'?"),
        (lambda: control.PID(Kp=1.0), "did you mean 'kp'?"),
        (lambda: control.ComputedTorque(wn=20.0), "did you mean 'natural_frequency'?"),
        (lambda: control.ComputedTorque(zeta=1.0), "did you mean 'damping_ratio'?"),
        (lambda: control.PD(gains=(1.0, 2.0)), "it takes kp, kd"),
        (lambda: ulna.Joint(viscous=0.1), "did you mean 'damping'?"),
        (lambda: ulna.Joint(limits=(-1.0, 1.0)), "lower and upper"),
        (lambda: ulna.Link(l=1.0, m=1.0), "did you mean 'length'?"),
        (lambda: ulna.Arm(lengths=[1.0], masses=[1.0]), "Arm.rods(lengths, masses)"),
        (lambda: ulna.Arm(lengths=[1.0], masses=[1.0]), "Arm.of([Link("),
        (lambda: ulna.Arm.of([], inertias=[1.0]), "Link(length, mass, com, inertia)"),
        (lambda: ulna.Arm.rods([1.0], [1.0], inertias=[0.1]), "Arm.of([Link("),
        (lambda: ulna.Arm.rods([1.0], [1.0], com=[0.1]), "Arm.of([Link("),
        (lambda: ulna.Arm.rods([1.0], [1.0], torque_limits=[9.0]), "[Joint(max_torque=10), ...]"),
        (lambda: ulna.Arm.rods([1.0], [1.0], friction=[0.1]), "Joint(friction=Friction("),
        (lambda: ulna.Arm.rods([1.0], [1.0], damping=[0.1]), "joints=[Joint(damping=0.1), ...]"),
        (lambda: ulna.Arm.rods([1.0], [1.0], limits=[(-2, 2)]), "Joint(lower=-2, upper=2)"),
        (
            lambda: dynamics.holding_torque(ulna.preset("unit"), [0.0, 0.0], payload=0.2),
            "arm.with_payload(0.5)",
        ),
        (lambda: ulna.paths.circle(centre=(0.0, 0.0)), "did you mean 'center'?"),
        (lambda: ulna.simulate(ulna.preset("unit"), gravity=False), "arm.replace(gravity=(0, 0))"),
        (lambda: ulna.simulate(ulna.preset("unit"), payload=1.0), "arm.with_payload(0.5)"),
        (lambda: ulna.Arm.rods(n=3, length=0.3), "it takes lengths, masses"),
    ],
)
def test_keywords_of_other_libraries_are_told_the_names_of_ours(call, instead):
    with pytest.raises(TypeError, match="got an unexpected keyword argument") as caught:
        call()
    assert instead in str(caught.value)


def test_an_arm_without_joints_is_told_what_makes_them():
    with pytest.raises(TypeError, match=r"missing 1 .* 'joints'; .*Arm\.of\(\[Link\("):
        ulna.Arm(links=[ulna.Link(1.0, 1.0)])


RESULTS = {
    "run": lambda: ulna.simulate(ulna.preset("unit"), q0=[0.0, 0.0], duration=0.01),
    "plan": lambda: ulna.plan(ulna.preset("unit"), ulna.paths.circle((1.0, 0.0)), duration=1.0),
    "found": lambda: kinematics.inverse(ulna.preset("unit"), [1.0, 0.3]),
    "batch": lambda: ulna.simulate_batch(ulna.preset("unit"), q0=[[0.0, 0.0]], duration=0.01),
    "arm": lambda: ulna.preset("unit"),
    "path": lambda: ulna.paths.circle(),
    "energy": lambda: RESULTS["run"]().energy,
    "tracking": lambda: analysis.tracking(RESULTS["run"](), RESULTS["plan"]()),
}


@tabular(
    ("thing", "name", "instead"),
    [
        ("run", "time", "run.t"),
        ("run", "velocity", "run.qd"),
        ("run", "torque", "run.tau"),
        ("run", "plot", "ulna.plot(run)"),
        ("run", "to_csv", "run.save"),
        ("run", "success", "run.status.ok"),
        ("batch", "velocity", "run.qd"),
        ("run", "load", "ulna.open_run('run.nc')"),
        ("plan", "torques", "plan.tau"),
        ("plan", "torque", "plan.tau are the torques [N·m], shape (samples, n); plan.torque_at(t)"),
        ("tracking", "max_error", "tracking.max"),
        ("tracking", "error_max", "tracking.max"),
        ("tracking", "peak", "tracking.max"),
        ("tracking", "rmse", "tracking.rms"),
        ("plan", "peak_torque", "plan.peaks.torque"),
        ("plan", "animate", "no attribute"),
        ("found", "angles", "found.q"),
        ("found", "num_solutions", "len(found)"),
        ("arm", "dof", "arm.n"),
        ("path", "reverse", "path.reversed()"),
        ("energy", "total", "energy.kinetic + energy.potential"),
    ],
)
def test_results_are_asked_by_any_name_and_tell_their_own(thing, name, instead):
    value = RESULTS[thing]()
    with pytest.raises(AttributeError, match=f"has no attribute '{name}'") as caught:
        getattr(value, name)
    assert instead in str(caught.value)


def test_hints_on_results_name_what_they_have():
    for thing, module in (
        ("run", "ulna.simulation.run"),
        ("batch", "ulna.simulation.batch.batch_run"),
        ("plan", "ulna.motion.planning.plan_result"),
        ("found", "ulna.kinematics.solutions"),
        ("path", "ulna.motion.paths.path"),
        ("tracking", "ulna.analysis.tracking_errors"),
    ):
        value = RESULTS[thing]()
        own = "run" if thing == "batch" else thing
        for text, names in importlib.import_module(module)._GUESSES.items():
            for attribute in re.findall(rf"\b{own}\.(\w+)", text):
                if attribute not in ("nc", "csv", "mp4"):
                    assert hasattr(value, attribute), text
            # A name that is there needs no hint.
            assert not [name for name in names.split() if name in dir(type(value))]


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("PID", "it is ulna.control.PID"),
        ("forward_kinematics", "kinematics.tip(arm, q)"),
        ("Robot", "ulna.Arm.rods(lengths, masses)"),
        ("simulat", "did you mean 'simulate'?"),
        ("load_run", "ulna.open_run('run.nc')"),
        ("load_batch", "ulna.open_batch('batch.nc')"),
        ("load_plan", "a saved plan is a CSV table for other programs; ulna.plan("),
        ("open_plan", "a saved plan is a CSV table for other programs; ulna.plan("),
    ],
)
def test_the_package_says_where_names_are(name, instead):
    with pytest.raises(AttributeError) as caught:
        getattr(ulna, name)
    assert instead in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "names", "instead"),
    [
        (ulna.Run, "load open from_file", "ulna.open_run('run.nc')"),
        (ulna.BatchRun, "load open from_file", "ulna.open_batch('batch.nc')"),
        (ulna.Plan, "load open from_file", "ulna.plan(arm, path) makes it anew"),
    ],
)
def test_classes_of_results_say_what_reads_them(kind, names, instead):
    for name in names.split():
        with pytest.raises(AttributeError, match=f"type object .* no attribute '{name}'") as caught:
            getattr(kind, name)
        assert instead in str(caught.value)
    assert not hasattr(kind, "nothing")
