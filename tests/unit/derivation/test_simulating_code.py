"""Generated code simulates: each call is the engine's, and a thousand steps are its steps.

Python, C, MATLAB and JavaScript, a process of each for all arms: one to four links that carry a
payload, are damped and geared, and feel a force at the tip; and one with friction, whose file
does not simulate.
"""

import ctypes
import dataclasses
import functools
import json
import math
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

import ulna
from generated_code import (
    LANGUAGES,
    STRICT,
    c_compiler,
    code_of,
    column,
    compile_c,
    node_program,
    octave,
    octave_program,
    row,
    run_node,
    run_python,
    structure,
    type_check,
)
from ulna.derivation import DerivationOptions
from ulna.derivation.source_code import javascript_model
from ulna.dynamics import absolute

FULL = {
    "bodies": "general",
    "payload": True,
    "drives": True,
    "gravity": "vector",
    "tip_force": True,
}
KINDS = {
    "one": {"links": 1, **FULL},
    "two": {"links": 2, **FULL},
    "three": {"links": 3, **FULL},
    "four": {"links": 4, **FULL},
    "rods": {"links": 2},
    "flat": {"links": 3, "gravity": "none", "bodies": "points"},
    "absolute": {"links": 3, "convention": "absolute", **FULL},
    "friction": {"links": 2, "convention": "absolute", "friction": True},
}
EXPRESSED = ("one", "two")  # models whose expressions are run as well
STEPS, FEWER, DT = 1000, 100, 1e-3
NAMES = {
    "joints": ("q",),
    "tip": ("q",),
    "jacobian": ("q",),
    "mass_matrix": ("q",),
    "coriolis_matrix": ("q", "qd"),
    "gravity_torque": ("q",),
    "inverse_dynamics": ("q", "qd", "qdd", "force"),
    "forward_dynamics": ("q", "qd", "tau", "force"),
    "kinetic_energy": ("q", "qd"),
    "potential_energy": ("q",),
}


class Case:
    """An arm drawn at random with its letters, a state, and what the engine says of it."""

    def __init__(self, name, derivation, drawn):
        self.name, self.derivation = name, derivation
        self.arm, motion, force, self.known = drawn
        self.n, self.relative = self.arm.n, derivation.options.relative
        self.pushed = derivation.options.tip_force
        q, qd, qdd = motion.tolist()
        tau = np.random.default_rng(self.n).uniform(-2.0, 2.0, self.n).tolist()
        self.given = {"q": q, "qd": qd, "qdd": qdd, "tau": tau, "force": force.tolist()}

    @property
    def simulates(self):
        return not self.derivation.options.friction

    @property
    def functions(self):
        return [name for name in NAMES if self.simulates or name != "forward_dynamics"]

    def arguments(self, function):
        """Give what a function is called with after the arm."""
        return [self.given[x] for x in NAMES[function] if x != "force" or self.pushed]

    def letters(self, names):
        return {name: float(self.known[name]) for name in names}

    def of_joints(self, values):
        return np.asarray(values) if self.relative else np.diff(values, prepend=0.0)

    def of_coordinates(self, values):
        return values if self.relative else np.cumsum(values, axis=-1)

    @functools.cached_property
    def expected(self):
        """Give the engine's value of every function."""
        q, qd, qdd = (self.of_joints(self.given[x]) for x in ("q", "qd", "qdd"))
        pull = self.given["force"] if self.pushed else None
        form = ulna.dynamics if self.relative else absolute
        own = (self.given["q"], self.given["qd"])
        jacobian = ulna.kinematics.jacobian(self.arm, q)
        if not self.relative:  # by link angles: q_k = phi_k - phi_k-1
            jacobian = jacobian @ (np.eye(self.n) - np.eye(self.n, k=-1))
        turning = ulna.dynamics.forward_dynamics(self.arm, q, qd, self.given["tau"], tip_force=pull)
        values = {
            "joints": ulna.kinematics.joints(self.arm, q),
            "tip": ulna.kinematics.tip(self.arm, q),
            "jacobian": jacobian,
            "mass_matrix": form.mass_matrix(self.arm, own[0]),
            "coriolis_matrix": form.coriolis_matrix(self.arm, *own),
            "gravity_torque": form.gravity_torque(self.arm, own[0]),
            "inverse_dynamics": ulna.dynamics.inverse_dynamics(
                self.arm, q, qd, qdd, tip_force=pull
            ),
            "forward_dynamics": self.of_coordinates(turning),
            "kinetic_energy": ulna.dynamics.kinetic_energy(self.arm, q, qd),
            "potential_energy": ulna.dynamics.potential_energy(self.arm, q),
        }
        return {name: values[name] for name in self.functions}

    @functools.cache  # noqa: B019 -- as many as there are cases
    def simulated(self, steps=STEPS):
        """Give angles and rates after steps of the engine, in coordinates."""
        run = ulna.simulate(
            self.arm,
            q0=self.of_joints(self.given["q"]),
            qd0=self.of_joints(self.given["qd"]),
            torque=self.given["tau"],
            tip_force=self.given["force"] if self.pushed else None,
            method="rk4",
            dt=DT,
            duration=steps * DT,
        )
        assert run.status.ok
        return [self.of_coordinates(run.q[-1]), self.of_coordinates(run.qd[-1])]


@pytest.fixture(scope="module")
def cases(derived, state):
    found = {name: derived(**options) for name, options in KINDS.items()}
    return [Case(name, one, state(one, seed=7)) for name, one in found.items()]


@pytest.fixture(scope="module")
def compared(cases, agree):
    """Give the comparison: (value of each function and [q, qd] after the steps, per case)."""

    def compare(found, ends, steps=lambda name: STEPS):
        assert found.keys() == KINDS.keys()
        for case in cases:
            for name, theirs in case.expected.items():
                agree(np.reshape(found[case.name][name], np.shape(theirs)), theirs)
            if case.simulates:
                wanted = case.simulated(steps(case.name))
                np.testing.assert_allclose(ends[case.name], wanted, rtol=1e-9, atol=1e-9)

    return compare


# Python and Octave take seconds over a thousand steps of several links.
def for_long(*quick):
    rows = [quick, pytest.param(tuple(KINDS), marks=pytest.mark.slow)]
    return pytest.mark.parametrize("thousand", rows, ids=["few for long", "all for long"])


@for_long("one", "two", "three", "four")
def test_python_is_the_engine(cases, compared, thousand):
    def steps(name):
        return STEPS if name in thousand else FEWER

    found, ends = {}, {}
    for case in cases:
        model = run_python(code_of(case.derivation, "python"))
        arm = model["Arm"](**case.letters(model["Arm"]._fields))
        found[case.name] = {n: model[n](arm, *case.arguments(n)) for n in case.functions}
        q, qd, tau = (case.given[x] for x in ("q", "qd", "tau"))
        pushed = [case.given["force"]] if case.pushed else []
        for _ in range(steps(case.name) if case.simulates else 0):
            q, qd = model["step"](arm, q, qd, tau, DT, *pushed)
        ends[case.name] = [q, qd]
    compared(found, ends, steps)


def test_c_is_the_engine(cases, compared, tmp_path):
    found, ends = {}, {}
    for case in cases:
        source = code_of(case.derivation, "c")
        library, kind = compile_c(tmp_path, source, case.name, "-O0"), structure(source)
        numbers = case.letters(name for name, _ in kind._fields_)
        arm = ctypes.byref(kind(**numbers))
        found[case.name] = {name: call_c(library, name, arm, case) for name in case.functions}
        q, qd, tau = (row(case.given[x]) for x in ("q", "qd", "tau"))
        pushed = [row(case.given["force"])] if case.pushed else []
        for _ in range(STEPS if case.simulates else 0):
            library.arm_step(arm, q, qd, tau, ctypes.c_double(DT), *pushed)
        ends[case.name] = [list(q), list(qd)]
    compared(found, ends)


def call_c(library, name, arm, case):
    function, given = getattr(library, f"arm_{name}"), map(row, case.arguments(name))
    if name.endswith("_energy"):
        function.restype = ctypes.c_double
        return function(arm, *given)
    function.restype = None
    out = row([math.nan] * case.expected[name].size)
    function(arm, *given, out)
    return list(out)


@for_long("one")
def test_matlab_is_the_engine(cases, compared, tmp_path, thousand):
    def steps(name):
        return STEPS if name in thousand else FEWER

    script = []
    for case in cases:
        source = case.derivation.code("matlab", name=f"arm_{case.name}")
        (tmp_path / f"arm_{case.name}.m").write_text(source)
        names = re.findall(r"^model\.arm\.(\w+) = NaN;", source, flags=re.MULTILINE)
        script.append(f"model = arm_{case.name}();")
        script += [f"model.arm.{k} = {v!r};" for k, v in case.letters(names).items()]
        for name in case.functions:
            call = ", ".join(map(column, case.arguments(name)))
            script.append(f"printf('%.17g ', model.{name}(model.arm, {call})'); printf('\\n');")
        q, qd, tau, force = (column(case.given[x]) for x in ("q", "qd", "tau", "force"))
        held = f"{tau}, {DT!r}, {force}" if case.pushed else f"{tau}, {DT!r}"
        script.append(f"q = {q}; qd = {qd};")
        count = steps(case.name) if case.simulates else 0
        script.append(f"for k = 1:{count}, [q, qd] = model.step(model.arm, q, qd, {held}); end")
        script.append("printf('%.17g ', q, qd); printf('\\n');")
    lines = iter(octave(tmp_path, "\n".join(script)))
    found, ends = {}, {}
    for case in cases:
        found[case.name] = {name: next(lines) for name in case.functions}
        ends[case.name] = np.reshape(next(lines), (2, case.n))
    compared(found, ends, steps)


def camel(name):
    return re.sub("_(.)", lambda found: found[1].upper(), name)


def javascript(case, model):
    """Write what calls each function of a model, and its step, and keeps the results."""
    calls = (f"{name}: m.{camel(name)}(a, ...{case.arguments(name)!r})" for name in case.functions)
    q, qd, tau, force = (case.given[x] for x in ("q", "qd", "tau", "force"))
    pushed = f", {force!r}" if case.pushed else ""
    steps = STEPS if case.simulates else 0
    return f"""{{
  const m = {model};
  const letters = m.letters ?? Object.keys(m.arm), a = {{}};
  for (const name of letters) a[name] = known.{case.name}[name];
  let q = {q!r}, qd = {qd!r};
  const tau = {tau!r};
  for (let k = 0; k < {steps}; k += 1) [q, qd] = m.step(a, q, qd, tau, {DT!r}{pushed});
  const found = {{ {", ".join(calls)} }};
  said.push({{ found, ends: [q, qd], names: Object.keys(m), letters, links: m.links }});
}}"""


@pytest.fixture(scope="module")
def answers(cases, tmp_path_factory):
    """Give what modules say, and the expressions of the same models, from one process."""
    folder = tmp_path_factory.mktemp("javascript")
    known = {case.name: case.known for case in cases}
    script = [f"const said = [], known = {json.dumps(known)};"]
    for case in cases:
        (folder / f"{case.name}.js").write_text(code_of(case.derivation, "javascript"))
        script.append(javascript(case, f'await import("./{case.name}.js")'))
    expressed = [case for case in cases if case.name in EXPRESSED]
    script += [javascript(case, javascript_model(case.derivation.options)) for case in expressed]
    said = run_node(folder, "\n".join([*script, "console.log(JSON.stringify(said));"]))
    modules, expressions = said[: len(cases)], said[len(cases) :]
    return (
        {case.name: one for case, one in zip(cases, modules, strict=True)},
        {case.name: one for case, one in zip(expressed, expressions, strict=True)},
    )


def test_javascript_is_the_engine(compared, answers):
    modules, _ = answers
    found = {name: said["found"] for name, said in modules.items()}
    compared(found, {name: said["ends"] for name, said in modules.items()})


def test_a_javascript_expression_is_the_module_without_its_arm(cases, answers):
    modules, expressions = answers
    assert expressions.keys() == set(EXPRESSED)
    for case in cases:
        if case.name in EXPRESSED:
            module, expression = modules[case.name], expressions[case.name]
            assert expression["found"] == module["found"]
            assert expression["ends"] == module["ends"]
            assert expression["letters"] == module["letters"]
            assert expression["links"] == case.n
            exported = {*module["names"], "links", "letters"} - {"arm"}
            assert set(expression["names"]) == exported
            assert ("inverseKinematics" in exported) == (case.n == 2)


def test_a_javascript_expression_is_ascii_and_has_no_words(derived):
    text = javascript_model(DerivationOptions(links=2))
    assert text is javascript_model(DerivationOptions(links=2))  # made once
    assert text.isascii()
    assert text.startswith("(() => {")
    assert text.endswith("})()")
    for word in ("//", "/*", "export", "import", "process", "simulate"):
        assert word not in text
        assert word in code_of(derived(2), "javascript").replace("/**", "/*")


# ------------------------------------------------------------------------- files that are run


def command_for(folder, language):
    """Give the command that runs the file of a language in its folder; C is compiled first."""
    if language == "python":
        return [sys.executable, "-I", "-S", "-W", "error", "arm.py"]
    if language == "javascript":
        return [*node_program(), "arm.js"]
    if language == "matlab":
        return [*octave_program(), "--eval", "arm_model"]
    command = [c_compiler(), *STRICT, "arm.c", "-lm", "-o", "arm.out"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return ["./arm.out"]


FILES = {"python": "arm.py", "c": "arm.c", "matlab": "arm_model.m", "javascript": "arm.js"}


def run_file(folder, language, derivation):
    (folder / FILES[language]).write_text(code_of(derivation, language))
    command = command_for(folder, language)
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


HOSTILE = '*/ <script> `${process.exit(3)}` \\ " % $ { } ??( ??/ """ \'\'\' %} end; import os #'


@functools.cache
def derivation_of(preset):
    return ulna.derive(arm=ulna.preset(preset))


@pytest.mark.parametrize("name", ["smooth", HOSTILE, "腕 ½"], ids=["plain", "hostile", "foreign"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_file_that_is_run_simulates_its_arm(tmp_path, language, name):
    arm = ulna.preset("dfki-double-pendulum").with_payload(0.25)
    joints = [dataclasses.replace(joint, friction=None) for joint in arm.joints]
    arm = arm.replace(joints=joints, name=name)
    derivation = ulna.derive(arm=arm)
    source = code_of(derivation, language)
    assert source.isascii()
    assert ulna.__version__ in source
    head, *rows = run_file(tmp_path, language, derivation).splitlines()
    assert head.split() == ["time", "[s]", "q1", "[rad]", "q2", "[rad]", "energy", "[J]"]
    table = np.array([[float(number) for number in line.split()] for line in rows])
    run = ulna.simulate(arm, q0=[0.5, 0.5], duration=2.0, method="rk4", dt=1e-3, samples=11)
    np.testing.assert_allclose(table[:, 0], run.t, atol=1e-12)
    np.testing.assert_allclose(table[:, 1:3], run.q, atol=6e-7)  # six digits are printed
    energy = ulna.dynamics.kinetic_energy(arm, run.q, run.qd)
    energy = energy + ulna.dynamics.potential_energy(arm, run.q)
    np.testing.assert_allclose(table[:, 3], energy, atol=6e-7)


# Three links by Octave take seconds: those with absolute angles wait for the slow tests.
WITH_LETTERS = [
    pytest.param(
        kind, one, marks=[pytest.mark.slow] if (kind, one) == ("absolute", "matlab") else []
    )
    for kind in ("flat", "absolute")
    for one in LANGUAGES
]


@pytest.mark.parametrize(("kind", "language"), WITH_LETTERS)
def test_a_file_of_letters_runs_with_example_numbers(cases, tmp_path, language, kind):
    (derivation,) = (case.derivation for case in cases if case.name == kind)
    assert "xample numbers: put in those of your arm" in code_of(derivation, language)
    _, *rows = run_file(tmp_path, language, derivation).splitlines()
    table = np.array([[float(number) for number in line.split()] for line in rows])
    assert table.shape == (11, derivation.options.links + 2)
    energy, damped = table[:, -1], derivation.options.drives
    assert np.ptp(table[:, 1]) > 0.1  # it moves
    assert (energy[0] - energy[-1] > 0.1) if damped else np.ptp(energy) <= 1e-6


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_file_with_friction_says_why_it_does_not_simulate(derived, tmp_path, language):
    derivation = derived(2, friction=True)
    source = code_of(derivation, language)
    assert "ulna.simulate does that" in source
    names = ("forward_dynamics", "forwardDynamics", "step(", "simulate(")
    assert not [name for name in names if name in source]
    if language in ("python", "javascript"):
        assert run_file(tmp_path, language, derivation) == ""


def test_javascript_that_is_imported_prints_nothing_and_knows_its_arm(tmp_path):
    (tmp_path / "arm.js").write_text(code_of(derivation_of("kehl"), "javascript"))
    script = 'import { arm, tip } from "./arm.js"; console.log(JSON.stringify(tip(arm, [0, 0])));'
    kehl = ulna.preset("kehl")
    assert run_node(tmp_path, script) == pytest.approx([sum(x.length for x in kehl.links), 0, 0])


def test_javascript_needs_nothing_of_node(tmp_path, derived):
    (tmp_path / "arm.js").write_text(code_of(derived(1), "javascript"))
    script = """const print = console.log;
delete globalThis.process;  // no more than a page has
const { arm, tip } = await import("./arm.js");
print(JSON.stringify(tip({ ...arm, l1: 2 }, [0])));"""
    assert run_node(tmp_path, script) == [2.0, 0.0, 0.0]


def test_javascript_runs_under_a_name_with_spaces_and_through_a_link(tmp_path, derived):
    folder = tmp_path / "an arm #1"
    folder.mkdir()
    (folder / "my arm.mjs").write_text(code_of(derived(1), "javascript"))
    for file in ("my arm.mjs", "link.mjs"):
        if file == "link.mjs":
            (folder / file).symlink_to("my arm.mjs")
        done = subprocess.run(
            [*node_program(), file], cwd=folder, capture_output=True, text=True, check=True
        )
        assert done.stdout.splitlines()[0].split()[:2] == ["time", "[s]"]


# ------------------------------------------------------------------------------ types

RIGHT = """import { arm, step, massMatrix, type Arm, type Vector } from "./arm.js";
const heavier: Arm = { ...arm, m2: 3 };
let q: Vector = [0.1, 0.2];
let qd: Vector = [0, 0];
[q, qd] = step(heavier, q, qd, [1, 2], 0.001, [0, 1]);
const m22: number = massMatrix(arm, q)[1][1];
console.log(m22, qd);
"""
WRONG = [
    "step(arm, [0.1], [0, 0], [0, 0], 0.001, [0, 0])",  # an angle too few
    "step(arm, [0.1, 0.2], [0, 0], [0, 0], 0.001)",  # no force
    'step(arm, [0.1, 0.2], [0, 0], [0, 0], "1 ms", [0, 0])',
    "step({ l1: 1 }, [0.1, 0.2], [0, 0], [0, 0], 0.001, [0, 0])",
    "massMatrix([0.1, 0.2])",
    "const entry: string = massMatrix(arm, [0.1, 0.2])[0][0]",
    "massMatrix(arm, [0.1, 0.2])[2][0]",  # no such row
    "inverseKinematics(arm, 0.1, 0.2, 2)",
    "inverseKinematics(arm, 0.1, 0.2)[0]",  # may be out of reach
    "arm.l1 = 2",
]


def test_typescript_accepts_the_files_and_refuses_wrong_calls(cases, tmp_path):
    for case in cases:
        (tmp_path / f"{case.name}.js").write_text(code_of(case.derivation, "javascript"))
    shutil.copy(tmp_path / "two.js", tmp_path / "arm.js")
    (tmp_path / "package.json").write_text('{"type": "module"}')
    right = RIGHT.replace("console.log(m22, qd);", "export const last = [m22, qd];")
    (tmp_path / "right.ts").write_text(right)
    calls = ["import { arm, step, massMatrix, inverseKinematics } from './arm.js';", *WRONG]
    (tmp_path / "wrong.ts").write_text(";\n".join(calls) + ";\n")
    files = [*(f"{case.name}.js" for case in cases), "right.ts", "wrong.ts"]
    said = type_check(tmp_path, *files)
    refused = {int(line) for line in re.findall(r"^wrong\.ts\((\d+),", said, flags=re.MULTILINE)}
    assert refused == set(range(2, 2 + len(WRONG))), said
    assert "error" not in re.sub(r"^wrong\.ts\(.*", "", said, flags=re.MULTILINE)
