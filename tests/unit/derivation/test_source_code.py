"""Generated source code: it runs on its own, and computes what the closed form computes."""

import ast
import ctypes
import json
import math
import re

import numpy as np
import pytest

import ulna
from generated_code import LANGUAGES, compile_c, octave, row, run_node, run_python
from ulna.dynamics import absolute, chain

FUNCTIONS = ("mass_matrix", "coriolis_matrix", "gravity_torque", "inverse_dynamics")
PLACES = [(0.7, 0.2), (-0.4, 0.5), (0.05, -0.6), (-0.3, -0.3), (0.0, 0.4), (0.35, 0.0)]
OUT_OF_REACH = [(0.9, 0.0), (0.0, -0.81), (0.1, 0.1), (-0.19, 0.0), (0.0, 0.0)]


def imported(source):
    """Give the modules that Python code imports."""
    nodes = list(ast.walk(ast.parse(source)))
    assert not any(isinstance(node, ast.Import) for node in nodes)
    return {node.module for node in nodes if isinstance(node, ast.ImportFrom)}


def test_python_computes_by_itself_what_the_closed_form_does(case, state, agree):
    source, form = case.code("python"), chain if case.options.relative else absolute
    assert imported(source) == {"math", "typing"}
    model = run_python(source)
    for seed in (1, 2):
        arm, (q, qd, qdd), force, known = state(case, seed)
        joints = (q, qd, qdd) if case.options.relative else np.diff([q, qd, qdd], prepend=0.0)
        pushed = [force] if case.options.tip_force else []
        described = model["Arm"](**{name: known[name] for name in model["Arm"]._fields})
        given = [q], [q, qd], [q], [q, qd, qdd, *pushed]
        expected = [
            form.mass_matrix(arm, q),
            form.coriolis_matrix(arm, q, qd),
            form.gravity_torque(arm, q),
            chain.inverse_dynamics(arm, *joints, tip_force=force if pushed else None),
        ]
        for name, values, theirs in zip(FUNCTIONS, given, expected, strict=True):
            ours = model[name](described, *(np.asarray(one).tolist() for one in values))
            assert np.shape(ours) == theirs.shape
            agree(ours, theirs)


@pytest.mark.parametrize("qdd", [[0.5, -2.0], [0.0, 0.0]])
def test_friction_of_joints_that_start_from_rest_is_that_of_the_closed_form(qdd):
    arm = ulna.preset("dfki-double-pendulum")
    model = run_python(ulna.derive(arm=arm, friction=True).code("python"))
    for qd in ([0.0, 0.0], [0.0, -1.5]):
        ours = model["friction_torque"](model["Arm"](), qd, qdd)
        assert ours == pytest.approx(ulna.dynamics.friction_torque(arm, qd, qdd), rel=1e-12)


# ----------------------------------------------------------------- inverse kinematics


def of_python(source, wanted, folder):
    model = run_python(source)
    return [model["inverse_kinematics"](model["Arm"](), *one) for one in wanted]


def of_c(source, wanted, folder):
    library, found = compile_c(folder, source), []
    for x, y, branch in wanted:
        out = row([1.5, 2.5])
        place = ctypes.c_double(x), ctypes.c_double(y)
        numbers = ctypes.c_char.in_dll(library, "the_arm")
        done = library.arm_inverse_kinematics(ctypes.byref(numbers), *place, branch, out)
        assert done or list(out) == [1.5, 2.5]
        found.append(list(out) if done else None)
    return found


def of_matlab(source, wanted, folder):
    (folder / "arm_model.m").write_text(source)
    script = ["model = arm_model();"]
    for one in wanted:
        call = f"model.inverse_kinematics(model.arm, {', '.join(map(str, one))})"
        script.append(f"q = {call}; printf('%d ', isempty(q)); printf('%.17g ', q); printf('\\n');")
    return [None if empty else q for empty, *q in octave(folder, "\n".join(script))]


def of_javascript(source, wanted, folder):
    (folder / "arm.js").write_text(source)
    script = f"""import {{ arm, inverseKinematics as find }} from "./arm.js";
console.log(JSON.stringify({json.dumps(wanted)}.map((one) => find(arm, ...one))));"""
    return run_node(folder, script)


FINDERS = {"python": of_python, "c": of_c, "matlab": of_matlab, "javascript": of_javascript}


@pytest.mark.parametrize("convention", ["relative", "absolute"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_inverse_kinematics_reaches_its_target_on_either_branch(tmp_path, language, convention):
    arm = ulna.Arm.rods([0.5, 0.3], [1.0, 1.0])
    source = ulna.derive(arm=arm, convention=convention).code(language)
    wanted = [(x, y, branch) for x, y in PLACES for branch in (1, -1)]
    far = [(x, y, 1) for x, y in OUT_OF_REACH]
    found = FINDERS[language](source, wanted + far, tmp_path)
    assert found[len(wanted) :] == [None] * len(far)
    for angles, (x, y, branch) in zip(found, wanted, strict=False):
        q = angles if convention == "relative" else [angles[0], angles[1] - angles[0]]
        assert ulna.kinematics.tip(arm, q)[:2] == pytest.approx((x, y), rel=1e-12, abs=1e-12)
        assert math.copysign(1.0, math.sin(q[1])) == branch


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
    assert [name in derived(links).code(language) for links in (1, 2, 3)] == [False, True, False]


# ------------------------------------------------------------------------------ names


@pytest.mark.parametrize("options", [{}, {"friction": True}])
def test_a_matlab_file_is_never_called_what_a_function_in_it_is(derived, options):
    derivation = derived(2, **options)
    source = derivation.code("matlab", name="two_link")
    first, *others = re.findall(r"^function (?:.+ = )?(\w+)\(", source, flags=re.MULTILINE)
    assert first == "two_link"
    for name in others:
        assert " arm_model()" in derivation.code("matlab", name=name).splitlines()[0], name
