"""Generated source code: it runs on its own, and computes what the closed form computes."""

import ast
import ctypes
import functools
import math
import re
import subprocess
import sys

import numpy as np
import pytest

import ulna
from generated_code import (
    LANGUAGES,
    column,
    compile_c,
    octave,
    row,
    run_node,
    run_python,
    structure,
)
from ulna.dynamics import absolute, chain
from ulna.errors import InputError

EVERYTHING = {"payload": True, "tip_force": True, "drives": True, "gravity": "vector"}
HOSTILE = '*/ <script> \\ " % $ { } ??( ??/ """ \'\'\' %} end; import os #'
FUNCTIONS = ("mass_matrix", "coriolis_matrix", "gravity_torque", "inverse_dynamics")
PLACES = [(0.7, 0.2), (-0.4, 0.5), (0.05, -0.6), (-0.3, -0.3), (0.0, 0.4), (0.35, 0.0)]


def expected(derivation, arm, motion, force):
    """Give M, C, G and the torques of the motors, from the closed form."""
    o = derivation.options
    form = chain if o.relative else absolute
    q, qd, _ = motion
    joints = motion if o.relative else np.diff(motion, axis=-1, prepend=0.0)
    pull = force if o.tip_force else None
    torque = chain.inverse_dynamics(arm, *joints, tip_force=pull)
    return [
        form.mass_matrix(arm, q),
        form.coriolis_matrix(arm, q, qd),
        form.gravity_torque(arm, q),
        torque,
    ]


def arguments(derivation, motion, force):
    """List what each of the functions is called with after the arm."""
    q, qd, qdd = ([float(value) for value in row] for row in motion)
    pushed = [[float(part) for part in force]] if derivation.options.tip_force else []
    return [[q], [q, qd], [q], [q, qd, qdd, *pushed]]


def fields(known):
    """Give the arm's numbers under the names that the generated code has for them."""
    return dict(known)


# -------------------------------------------------------------------------------- Python


def imported(source):
    """Give the modules that Python code imports."""
    nodes = list(ast.walk(ast.parse(source)))
    assert not any(isinstance(node, ast.Import) for node in nodes)
    return {node.module for node in nodes if isinstance(node, ast.ImportFrom)}


def test_python_computes_by_itself_what_the_closed_form_does(case, state, agree):
    source = case.code("python")
    assert imported(source) == {"math", "typing"}
    model = run_python(source)
    for seed in (1, 2):
        arm, motion, force, known = state(case, seed)
        numbers = fields(known)
        described = model["Arm"](**{name: numbers[name] for name in model["Arm"]._fields})
        calls = zip(FUNCTIONS, arguments(case, motion, force), strict=True)
        found = [model[name](described, *given) for name, given in calls]
        for ours, theirs in zip(found, expected(case, arm, motion, force), strict=True):
            agree(np.reshape(ours, theirs.shape), theirs)


FRICTION = {"friction": True, "convention": "absolute"}


@pytest.mark.parametrize(
    "options", [{}, {"gravity": "none"}, {"convention": "absolute"}, {"friction": True}, FRICTION]
)
def test_python_without_extras_computes_what_the_closed_form_does(derived, state, agree, options):
    derivation = derived(2, **options)
    model = run_python(derivation.code("python"))
    arm, motion, force, known = state(derivation)
    numbers = fields(known)
    described = model["Arm"](**{name: numbers[name] for name in model["Arm"]._fields})
    calls = zip(FUNCTIONS, arguments(derivation, motion, force), strict=True)
    found = [model[name](described, *given) for name, given in calls]
    for ours, theirs in zip(found, expected(derivation, arm, motion, force), strict=True):
        agree(ours, theirs)


@pytest.mark.parametrize("qdd", [[0.5, -2.0], [0.0, 0.0]])
def test_friction_of_joints_that_start_from_rest_is_that_of_the_closed_form(qdd):
    arm = ulna.preset("dfki-double-pendulum")
    model = run_python(ulna.derive(arm=arm, friction=True).code("python"))
    for qd in ([0.0, 0.0], [0.0, -1.5]):
        ours = model["friction_torque"](model["Arm"](), qd, qdd)
        assert ours == pytest.approx(ulna.dynamics.friction_torque(arm, qd, qdd), rel=1e-12)


@pytest.mark.parametrize("links", [1, 2])
def test_matrices_are_lists_of_rows(derived, links):
    derivation = derived(links)
    model = run_python(derivation.code("python"))
    described = model["Arm"](*[1.0] * len(model["Arm"]._fields))
    q = [0.0] * links
    assert np.shape(model["mass_matrix"](described, q)) == (links, links)
    assert np.shape(model["coriolis_matrix"](described, q, q)) == (links, links)
    assert np.shape(model["gravity_torque"](described, q)) == (links,)


def test_python_knows_the_numbers_of_the_arm():
    arm = ulna.preset("dfki-double-pendulum").with_payload(0.25)
    model = run_python(ulna.derive(arm=arm).code("python"))
    described = model["Arm"]()
    assert (described.l1, described.l2) == (0.2, 0.3)
    assert (described.c2, described.m2) == (0.255693, 0.62557)
    assert (described.N1, described.J2, described.b1) == (6.0, 6.2872e-5, 0.001)
    assert (described.mP, described.g) == (0.25, 9.81)
    assert model["mass_matrix"](described, [0.4, -0.9]) == pytest.approx(
        chain.mass_matrix(arm, [0.4, -0.9]), rel=1e-12
    )


def test_python_runs_by_itself(tmp_path):
    source = ulna.derive(arm=ulna.preset("unit")).code("python")
    (tmp_path / "unit.py").write_text(source + "\nprint(mass_matrix(Arm(), [0.0, 0.0])[1][1])\n")
    command = [sys.executable, "-I", "-S", "-W", "error", "unit.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert float(done.stdout.splitlines()[-1]) == pytest.approx(1 / 3, rel=1e-12)


# ------------------------------------------------------------------------------------- C


@pytest.fixture
def build(tmp_path):
    """Give what compiles C and loads it."""
    return functools.partial(compile_c, tmp_path)


@pytest.mark.parametrize(
    ("links", "options"),
    [
        (1, {}),
        (1, {"bodies": "points", "gravity": "none"}),
        (2, {"bodies": "general", **EVERYTHING}),
        (2, {"convention": "absolute", "bodies": "points", **EVERYTHING}),
        (2, {"gravity": "none"}),
        (2, {"friction": True, "convention": "absolute"}),
        (3, {"convention": "absolute", "bodies": "general", **EVERYTHING}),
    ],
)
def test_c_computes_what_the_closed_form_does(derived, state, agree, build, links, options):
    derivation = derived(links, **options)
    source = derivation.code("c")
    assert set(re.findall(r"#\s*include\s*(\S+)", source)) <= {"<math.h>", "<stdio.h>"}
    library, kind = build(source), structure(source)
    arm, motion, force, known = state(derivation)
    numbers = fields(known)
    described = kind(*(numbers[name] for name, _ in kind._fields_))
    calls = zip(FUNCTIONS, arguments(derivation, motion, force), strict=True)
    for (name, given), theirs in zip(calls, expected(derivation, arm, motion, force), strict=True):
        out = row([math.nan] * theirs.size)
        function = getattr(library, f"arm_{name}")
        function.restype = None
        function(ctypes.byref(described), *map(row, given), out)
        agree(np.reshape(list(out), theirs.shape), theirs)


def test_c_knows_the_numbers_of_the_arm(build):
    arm = ulna.preset("dfki-double-pendulum")
    source = ulna.derive(arm=arm).code("c")
    library, kind = build(source), structure(source)
    described = kind.in_dll(library, "the_arm")
    assert (described.l1, described.m2, described.J2) == (0.2, 0.62557, 6.2872e-5)
    assert (described.d1, described.g) == (0.0, 9.81)
    q, out = [0.3, -0.7], row([math.nan] * 2)
    library.arm_gravity_torque(ctypes.byref(described), row(q), out)
    assert list(out) == pytest.approx(chain.gravity_torque(arm, q), rel=1e-12)


# --------------------------------------------------------------------------- both, and MATLAB


@pytest.mark.parametrize("convention", ["relative", "absolute"])
def test_inverse_kinematics_reaches_its_target_on_either_branch(derived, build, convention):
    arm = ulna.Arm.rods([0.5, 0.3], [1.0, 1.0])
    derivation = derived(2, convention=convention)
    model, source = run_python(derivation.code("python")), derivation.code("c")
    library, kind = build(source), structure(source)
    numbers = (0.5, 1.0, 0.3, 1.0, 9.81)
    for x, y in PLACES:
        for branch in (1, -1):
            found = model["inverse_kinematics"](model["Arm"](*numbers), x, y, branch)
            out = row([math.nan] * 2)
            place = ctypes.c_double(x), ctypes.c_double(y)
            done = library.arm_inverse_kinematics(ctypes.byref(kind(*numbers)), *place, branch, out)
            assert done == 1
            assert list(out) == pytest.approx(found, rel=1e-12, abs=1e-12)
            q = found if convention == "relative" else [found[0], found[1] - found[0]]
            assert ulna.kinematics.tip(arm, q)[:2] == pytest.approx((x, y), rel=1e-12, abs=1e-12)
            assert math.copysign(1.0, math.sin(q[1])) == branch


def test_inverse_kinematics_says_what_is_out_of_reach(derived, build):
    derivation = derived(2)
    numbers = (0.5, 1.0, 0.3, 1.0, 9.81)
    model, source = run_python(derivation.code("python")), derivation.code("c")
    library, described = build(source), structure(source)(*numbers)
    for x, y in [(0.9, 0.0), (0.0, -0.81), (0.1, 0.1), (-0.19, 0.0), (0.0, 0.0)]:
        assert model["inverse_kinematics"](model["Arm"](*numbers), x, y) is None
        place, out = (ctypes.c_double(x), ctypes.c_double(y)), row([1.5, 2.5])
        assert library.arm_inverse_kinematics(ctypes.byref(described), *place, 1, out) == 0
        assert list(out) == [1.5, 2.5]


def test_inverse_kinematics_of_a_base_that_equal_links_reach_has_no_answer(derived):
    model = run_python(derived(2).code("python"))
    described = model["Arm"](0.5, 1.0, 0.5, 1.0, 9.81)
    assert model["inverse_kinematics"](described, 0.0, 0.0) is None
    assert model["inverse_kinematics"](described, 1e-9, 0.0) is not None


def test_inverse_kinematics_finds_where_forward_kinematics_has_just_been(derived):
    # Stretched and folded poses too: rounding must not put them out of reach.
    arm = ulna.Arm.rods([0.3, 0.1], [1.0, 1.0])
    model = run_python(derived(2).code("python"))
    described = model["Arm"](0.3, 1.0, 0.1, 1.0, 9.81)
    for first in np.linspace(-3.0, 3.0, 25):
        for second in (0.0, math.pi):
            x, y, _ = ulna.kinematics.tip(arm, [first, second])
            found = model["inverse_kinematics"](described, float(x), float(y))
            assert found is not None
            assert ulna.kinematics.tip(arm, found)[:2] == pytest.approx((x, y), abs=1e-9)


@pytest.mark.parametrize("language", LANGUAGES)
def test_only_two_links_have_inverse_kinematics_in_code(derived, language):
    name = "inverseKinematics" if language == "javascript" else "inverse_kinematics"
    assert name in derived(2).code(language)
    for links in (1, 3):
        assert name not in derived(links).code(language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_code_is_ascii_and_says_what_it_is(derived, language):
    options = {"bodies": "general", "convention": "absolute", **EVERYTHING}
    source = derived(**options).code(language)
    assert source.isascii()
    assert source.endswith("\n")
    assert "Two links, any bodies, absolute angles, with a payload" in source
    assert "Link angles phi, all from the x axis" in source
    assert "acts on the arm" in source
    assert f"ulna {ulna.__version__}" in source
    assert "length of link 1 [m]" in source
    assert "damping of joint 2 [N m s/rad]" in source
    assert "turns of that rotor per turn of joint 1\n" in source.replace(" */", "")
    assert "Joint angles q" in derived(2).code(language)


@pytest.mark.parametrize("options", [{}, {"friction": True}])
def test_a_matlab_file_is_never_called_what_a_function_in_it_is(derived, options):
    derivation = derived(2, **options)
    source = derivation.code("matlab")
    for name in re.findall(r"^function (?:.+ = )?(\w+)\(", source, flags=re.MULTILINE)[1:]:
        assert " arm_model()" in derivation.code("matlab", name=name).splitlines()[0], name


def test_matlab_is_one_function_that_hands_out_the_others(derived):
    source = derived(2, bodies="general", **EVERYTHING).code("matlab", name="two_link")
    code = re.sub(r"%.*", "", source)
    names = re.findall(r"^function .+ = (\w+)\(", code, flags=re.MULTILINE)
    assert names[0] == "two_link"
    assert {*FUNCTIONS, "joints", "forward_dynamics", "step", "inverse_kinematics"} < set(names)
    handles = re.findall(r"^model\.(\w+) = @(\w+);", code, flags=re.MULTILINE)
    assert handles == [(name, name) for name in names[1:]]
    opened = re.findall(r"^\s*(?:function|if|for)\b", code, flags=re.MULTILINE)
    assert len(re.findall(r"^\s*end$", code, flags=re.MULTILINE)) == len(opened)
    for foreign in ("**", "def ", "import", "None", "[0]", "(0)", "#", '"', "math", "->", ".*"):
        assert foreign not in code, foreign


@pytest.mark.parametrize(
    ("links", "options"),
    [
        (1, {"bodies": "points"}),
        (2, {"bodies": "general", **EVERYTHING}),
        (2, {"friction": True}),
        (3, {"convention": "absolute", "bodies": "general", **EVERYTHING}),
    ],
)
def test_matlab_computes_what_the_closed_form_does(derived, state, agree, tmp_path, links, options):
    derivation = derived(links, **options)
    source = derivation.code("matlab", name="generated")
    (tmp_path / "generated.m").write_text(source)
    arm, motion, force, known = state(derivation)
    numbers = fields(known)
    script = ["model = generated();"]
    names = re.findall(r"^model\.arm\.(\w+) = NaN;", source, flags=re.MULTILINE)
    script += [f"model.arm.{name} = {numbers[name]!r};" for name in names]
    for name, given in zip(FUNCTIONS, arguments(derivation, motion, force), strict=True):
        call = ", ".join(map(column, given))
        script.append(f"printf('%.17g ', model.{name}(model.arm, {call})'); printf('\\n');")
    found = octave(tmp_path, "\n".join(script))
    for ours, theirs in zip(found, expected(derivation, arm, motion, force), strict=True):
        agree(np.reshape(ours, theirs.shape), theirs)


@pytest.mark.parametrize("convention", ["relative", "absolute"])
def test_matlab_reaches_its_target_on_either_branch(tmp_path, convention):
    arm = ulna.Arm.rods([0.5, 0.3], [1.0, 1.0])
    source = ulna.derive(arm=arm, convention=convention).code("matlab", name="generated")
    (tmp_path / "generated.m").write_text(source)
    wanted = [(x, y, branch) for x, y in PLACES for branch in (1, -1)]
    script = ["model = generated();"]
    for x, y, branch in wanted:
        call = f"model.inverse_kinematics(model.arm, {x}, {y}, {branch})"
        script.append(f"printf('%.17g ', {call}); printf('\\n');")
    script.append("printf('%d\\n', isempty(model.inverse_kinematics(model.arm, 0.9, 0, 1)));")
    script.append("printf('%d\\n', isempty(model.inverse_kinematics(model.arm, 0, 0, 1)));")
    *found, far, base = octave(tmp_path, "\n".join(script))
    assert (far, base) == ([1.0], [1.0])
    for angles, (x, y, branch) in zip(found, wanted, strict=True):
        q = angles if convention == "relative" else [angles[0], angles[1] - angles[0]]
        assert ulna.kinematics.tip(arm, q)[:2] == pytest.approx((x, y), rel=1e-12, abs=1e-12)
        assert math.copysign(1.0, math.sin(q[1])) == branch


# ------------------------------------------------------------------------- names and words


def test_a_hostile_name_is_only_a_name_in_code(build, tmp_path):
    arm = ulna.Arm.rods([0.5, 0.4], [1.0, 2.0], name=HOSTILE)
    derivation = ulna.derive(arm=arm)
    model = run_python(derivation.code("python"))
    assert "os" not in model
    assert model["Arm"]().l1 == 0.5
    kind = structure(derivation.code("c"))
    assert kind.in_dll(build(derivation.code("c")), "the_arm").m2 == 2.0
    (tmp_path / "generated.m").write_text(derivation.code("matlab", name="generated"))
    script = "model = generated(); printf('%.17g\\n', model.arm.l2);"
    assert octave(tmp_path, script) == [[0.4]]


def test_a_hostile_name_is_only_a_name_in_javascript(tmp_path):
    arm = ulna.Arm.rods([0.5, 0.4], [1.0, 2.0], name=f"`${{process.exit(3)}} {HOSTILE}")
    (tmp_path / "arm.js").write_text(ulna.derive(arm=arm).code("javascript"))
    script = 'import { arm } from "./arm.js"; console.log(JSON.stringify([arm.l2, arm.m2]));'
    assert run_node(tmp_path, script) == [0.4, 2.0]


def test_a_name_in_any_script_leaves_code_ascii():
    derivation = ulna.derive(arm=ulna.Arm.rods([0.5], [1.0], name="腕 ½"))
    for language in LANGUAGES:
        assert derivation.code(language).isascii()


@pytest.mark.parametrize("language", ["fortran", "Python", "", 3, None])
def test_an_unknown_language_is_refused_with_the_known_ones(derived, language):
    with pytest.raises(InputError, match="need one of python, c, matlab, javascript") as refused:
        derived(1).code(language)
    assert str(refused.value).startswith("language: got ")


def test_a_language_that_is_nearly_known_is_suggested(derived):
    with pytest.raises(InputError, match="did you mean 'matlab'"):
        derived(1).code("mathlab")
