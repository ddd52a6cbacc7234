"""`ulna derive`: what it prints, what it writes, and what wrong words get."""

import io
import sys

import pytest

import ulna
from ulna.cli import main
from ulna.cli.derive import ENDINGS

FORMATS = {
    "text": (".txt", "One link, a uniform rod, joint angles\n===="),
    "markdown": (".md", "# One link, a uniform rod, joint angles\n"),
    "latex": (".tex", "\\documentclass"),
    "html": (".html", "<!doctype html>"),
    "python": (".py", '"""One link, a uniform rod, joint angles.'),
    "c": (".c", "/* One link, a uniform rod, joint angles."),
    "matlab": (".m", "function model = "),
    "javascript": (".js", "// One link, a uniform rod, joint angles.\n"),
}


@pytest.fixture
def ask(ask):
    """Return what runs this command in an empty folder: (*words) -> exit code, answer, notes."""
    return lambda *words: ask("derive", *words)


@pytest.fixture(scope="module")
def pendulum():
    return ulna.derive(1)


def test_by_itself_it_derives_two_rods_as_text(ask):
    code, out, err = ask()
    assert (code, err) == (0, "")
    assert out.startswith("Two links, uniform rods, joint angles\n")
    assert "M₂₂ = ⅓ m₂ l₂²" in out
    assert "14. The check" in out


@pytest.mark.parametrize("wanted", FORMATS)
def test_a_format_can_be_named(ask, pendulum, wanted):
    code, out, err = ask("--links", "1", "--format", wanted)
    assert (code, err) == (0, "")
    assert out.startswith(FORMATS[wanted][1])
    # A file comes as it is; text for the terminal ends its last line.
    assert out == pendulum.write(wanted) + "\n" * (wanted == "text")


@pytest.mark.parametrize("wanted", FORMATS)
def test_the_ending_of_a_file_chooses_the_format(ask, tmp_path, wanted):
    ending, start = FORMATS[wanted]
    code, out, err = ask("--links", "1", "--out", f"pendulum{ending}")
    assert (code, err) == (0, "")
    said, checked = out.splitlines()
    assert said.startswith("One link")
    assert said.endswith(f"pendulum{ending}")
    assert float(checked.rpartition(" ")[2]) <= 1e-12
    written = (tmp_path / f"pendulum{ending}").read_text(encoding="utf-8")
    assert written.startswith(start)
    assert [path.name for path in tmp_path.iterdir()] == [f"pendulum{ending}"]


def test_a_javascript_module_may_say_in_its_ending_that_it_is_one(ask, tmp_path):
    assert ask("--links", "1", "--out", "arm.mjs")[0] == 0
    assert (tmp_path / "arm.mjs").read_text().startswith("// One link")


def test_a_named_format_outranks_the_ending(ask, tmp_path):
    assert ask("--links", "1", "--out", "notes", "--format", "markdown")[0] == 0
    assert (tmp_path / "notes").read_text(encoding="utf-8").startswith("# One link")


@pytest.mark.parametrize(
    ("file", "function"),
    [
        ("pendulum.m", "pendulum"),
        ("my-arm.m", "arm_model"),
        ("1st.m", "arm_model"),
        ("é.m", "arm_model"),
    ],
)
def test_a_matlab_function_is_called_what_its_file_is_if_that_can_be(ask, tmp_path, file, function):
    assert ask("--links", "1", "--out", file)[0] == 0
    assert (tmp_path / file).read_text().startswith(f"function model = {function}()\n")


@pytest.mark.parametrize("file", ["mass_matrix.m", "step.m", "end.m", "cos.m", "_arm.m"])
def test_a_matlab_function_takes_no_name_that_breaks_its_file(ask, tmp_path, file):
    # A function that it defines, a word of the language, a function that it calls, no letter first.
    assert ask("--links", "1", "--out", file)[0] == 0
    first = (tmp_path / file).read_text().splitlines()[0]
    assert first == "function model = arm_model()"


def test_options_reach_the_derivation(ask):
    words = ["--links", "1", "--convention", "absolute", "--bodies", "general", "--payload"]
    _, out, _ = ask(*words, "--tip-force", "--drives", "--gravity", "vector")
    title = "One link, any body, absolute angles, with a payload, a force at the tip and damped"
    assert out.startswith(title)
    assert "γ_x" in out
    assert ask("--links", "1", "--gravity", "none")[1].count("gravity does no work") == 1


def test_an_arm_brings_its_numbers(ask):
    code, out, _ = ask("--arm", "bechard-1")
    assert code == 0
    assert out.startswith("bechard-1: one link, a point mass, joint angles, with damped joints\n")
    assert "damping of joint 1" in out
    assert "  G₁ = 9.81 cos(q₁)" in out


def test_a_robot_file_brings_its_numbers(ask, tmp_path):
    text = 'format = 1\nname = "swing"\n[[link]]\nlength = "2 m"\nmass = "3 kg"\n'
    (tmp_path / "swing.toml").write_text(text)
    code, _, _ = ask("--arm", "swing.toml", "--out", "swing.py")
    assert code == 0
    scope = {}
    exec((tmp_path / "swing.py").read_text(), scope)
    described = scope["Arm"]()
    assert (described.l1, described.m1, described.g) == (2.0, 3.0, 9.81)
    assert scope["gravity_torque"](described, [0.0]) == pytest.approx([3.0 * 9.81], rel=1e-12)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--links", "5"], "from 1 to 4"),
        (["--links", "0"], "from 1 to 4"),
        (["--links", "two"], "--links"),
        (["--links", "2.5"], "--links"),
        (["--convention", "absolut"], "did you mean 'absolute'?"),
        (["--bodies", "rod"], "did you mean 'rods'?"),
        (["--gravity", "sideways"], "need one of down, vector, none"),
        (["--format", "htm"], "did you mean 'html'?"),
        (
            ["--format", "docx"],
            "text, markdown, latex, html, python, c, matlab, javascript",
        ),
        (["--out", "arm.docx"], "ends in .txt, .md, .tex, .html, .py, .c, .m, .js, .mjs"),
        (["--out", "arm"], "or add --format"),
        (["--out", ""], "--out"),
        (["--arm", "kel"], "did you mean 'kehl'?"),
        (["--arm", "so-101", "--links", "2"], "need 3, as the arm has"),
        (["--arm", "so-101", "--bodies", "rods"], "need 'general'"),
        (["--wings"], "--wings"),
    ],
)
def test_bad_words_get_a_sentence_and_exit_2(ask, tmp_path, words, says):
    code, out, err = ask(*words)
    assert code == 2
    assert says in err
    assert out == ""
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_exists_is_not_replaced_by_accident(ask, tmp_path):
    (tmp_path / "arm.md").write_text("mine")
    code, out, err = ask("--links", "1", "--out", "arm.md")
    assert (code, out) == (2, "")
    assert "--overwrite" in err
    assert (tmp_path / "arm.md").read_text() == "mine"
    assert ask("--links", "1", "--out", "arm.md", "--overwrite")[0] == 0
    assert (tmp_path / "arm.md").read_text(encoding="utf-8").startswith("# One link")


def test_a_failure_leaves_the_file_that_was_there(ask, tmp_path):
    (tmp_path / "arm.md").write_text("mine")
    assert ask("--links", "7", "--out", "arm.md", "--overwrite")[0] == 2
    assert (tmp_path / "arm.md").read_text() == "mine"


def test_no_folder_and_no_robot_file_are_exit_74(ask, tmp_path):
    code, _, err = ask("--links", "1", "--out", "nowhere/arm.md")
    assert code == 74
    assert "nowhere" in err
    assert ask("--arm", "nowhere.toml")[0] == 74
    (tmp_path / "folder.md").mkdir()
    assert ask("--links", "1", "--out", "folder.md", "--overwrite")[0] == 74
    assert [path.name for path in tmp_path.iterdir()] == ["folder.md"]


def test_a_hostile_name_in_a_robot_file_is_only_a_name(ask, tmp_path):
    name = '\'*/ <script>alert(1)</script> """ $\''
    text = f"format = 1\nname = {name}\n[[link]]\nlength = 1\nmass = 1\n"
    (tmp_path / "odd.toml").write_text(text)
    for ending in ("html", "py"):
        assert ask("--arm", "odd.toml", "--out", f"odd.{ending}")[0] == 0
    assert "<script" not in (tmp_path / "odd.html").read_text(encoding="utf-8")
    compile((tmp_path / "odd.py").read_text(), "odd.py", "exec")


def test_what_is_redirected_into_a_file_is_utf_8_as_it_says(monkeypatch):
    written = io.TextIOWrapper(io.BytesIO(), encoding="cp1252")
    monkeypatch.setattr(sys, "stdout", written)
    assert main(["derive", "--links", "1", "--format", "html"]) == 0
    page = written.buffer.getvalue().decode("utf-8")
    assert 'charset="utf-8"' in page
    assert "∂" in page


def test_dry_friction_is_not_left_out_in_silence(ask):
    _, left_out, _ = ask("--arm", "dfki-double-pendulum")
    assert "Dry friction" in left_out
    assert "f_c2" not in left_out
    assert "Dry friction" not in ask("--arm", "so-101")[1]
    assert "f_c2" in ask("--arm", "dfki-double-pendulum", "--friction")[1]


def test_a_file_that_matlab_cannot_call_is_said_to_be_one(ask):
    assert "rename two-links.m to arm_model.m" in ask("--out", "two-links.m")[2]
    assert ask("--out", "links.m")[2] == ""


def test_every_format_and_language_has_an_ending():
    from ulna.derivation.formats import FORMATS as WRITTEN
    from ulna.derivation.source_code import LANGUAGES

    assert set(ENDINGS.values()) == {*WRITTEN, *LANGUAGES}
