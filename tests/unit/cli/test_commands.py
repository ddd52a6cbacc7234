"""The commands: what they answer, and what wrong input gets."""

import json
import math
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import ulna
from ulna.cli import app

DESK = """
format = 1
name = "desk arm"
[[link]]
length = "25 cm"
mass = "400 g"
[[link]]
length = "20 cm"
mass = "250 g"
joint = { lower = "-150 deg", upper = "150 deg", max_torque = "30 kg*cm" }
"""


def test_version_is_the_packages(ask):
    assert ask("--version") == (0, f"ulna {ulna.__version__}\n", "")


def test_a_command_is_listed_with_the_first_line_of_its_help():
    for name, listed in app.COMMANDS.items():
        assert app.load(name).help.partition("\n")[0] == listed["about"]


def test_listing_commands_imports_none_of_them():
    code = "import sys; from ulna.cli import main; main(['--help']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    loaded = set(done.stdout.splitlines()[-1].split())
    modules = {f"ulna.cli.{listed['place'].partition(':')[0]}" for listed in app.COMMANDS.values()}
    assert loaded.isdisjoint({"numpy", "rich.table", *modules})


def test_without_words_it_helps(ask):
    code, out, err = ask()
    assert code in (0, 2)
    assert "pose" in out + err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["fly"], "No such command"),
        (["pose", "kehl"], "--q"),
        (["pose", "kehl", "--q", "1"], "got 1 angle, need 2"),
        (["pose", "kehl", "--q", "1, 2, 3"], "got 3 angles, need 2"),
        (["pose", "kehl", "--q", "40 dog, 1"], "dog"),
        (["pose", "kehl", "--q", "1, nan"], "finite"),
        (["pose", "kehl", "--q", ""], "--q"),
        (["pose", "kehl", "--q", "5 kg, 1"], "kg"),
        (["pose", "kel", "--q", "1, 2"], "did you mean 'kehl'?"),
        (["reach", "kehl", "--to", "1"], "got 1 value"),
        (["reach", "kehl", "--to", "1, 2, 3, 4"], "got 4 values"),
        (["reach", "kehl", "--to", "a, b"], "--to"),
        (["reach", "kehl", "--to", "1 kg, 2"], "kg"),
        (["list", "ships"], "ships"),
        (["new", "x.toml", "--links", "0"], "a number from 1 to 100"),
        (["new", "x.toml", "--links", "two"], "--links"),
        (["new", "x.py", "--links", "2"], "no number of links for a controller"),
        (["new", "x.txt"], ".toml, for an arm, or in .py, for a controller"),
        (["new", "x"], ".toml, for an arm, or in .py, for a controller"),
        (["pose", "kehl", "--q", "1, 2", "--plot", "x.doc"], ".png, .svg, .pdf"),
    ],
)
def test_bad_words_get_a_sentence_and_exit_2(ask, words, says):
    code, out, err = ask(*words)
    assert code == 2
    assert says in err
    assert "Traceback" not in err
    assert out == ""


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["follow", "--force"], "--overwrite"),
        (["follow", "--model", "kehl"], "--controller-model"),
        (["simulate", "unit", "--model", "sequential"], "--dynamics"),
        (["simulate", "unit", "--friction", "0.5, 0.5"], "--sequential-damping"),
        (["simulate", "unit", "--for", "1 s"], "--duration"),
        (["simulate", "unit", "--disturb", "step()"], "--disturbance"),
        (["hold", "unit", "--flat"], "--no-gravity"),
        (["pose", "unit", "--ovrwrite"], "--overwrite"),
    ],
)
def test_an_option_that_is_not_there_names_the_one_that_is_meant(ask, words, meant):
    code, out, err = ask(*words)
    assert (code, out) == (2, "")
    assert "No such option" in err
    assert meant in err


PD_OPTION = '--controller "PD(kp=100, kd=20)"'
COMPUTED_TORQUE = '--controller "ComputedTorque(natural_frequency=20)"'
IN_TEXT = 'in the text itself, "40 deg, -60 deg"'
ROBOT_FILE = "robot file: `ulna new arm.toml` writes one, `ulna check arm.toml` checks it"


@pytest.mark.parametrize(
    ("words", "where"),
    [
        (["follow", "--kp", "100", "--kd", "20"], PD_OPTION),
        (["simulate", "unit", "--kd=20"], PD_OPTION),
        (["follow", "--gains", "100, 20"], PD_OPTION),
        (["follow", "--ki", "50"], '--controller "PID(kp=100, kd=20, ki=50)"'),
        (["follow", "--natural-frequency", "20"], COMPUTED_TORQUE),
        (["portrait", "unit", "--damping-ratio", "1"], COMPUTED_TORQUE),
        (["plan", "--controller", "PD()"], "`ulna follow`"),
        (["pose", "unit", "--q", "40, 60", "--degrees"], IN_TEXT),
        (["pose", "unit", "--q", "40, 60", "--deg"], IN_TEXT),
        (["pose", "unit", "--q", "40, 60", "--unit", "deg"], IN_TEXT),
        (["simulate", "unit", "--q0", "1, 2", "--radians"], IN_TEXT),
        (["plan", "--limits", "2"], ROBOT_FILE),
        (["follow", "--max-torque", "2 N*m"], ROBOT_FILE),
        (["hold", "unit", "--mass", "1 kg"], ROBOT_FILE),
        (["new", "arm.toml", "--length", "1 m"], ROBOT_FILE),
    ],
)
def test_an_option_for_what_is_written_elsewhere_says_where(ask, words, where):
    code, out, err = ask(*words)
    assert (code, out) == (2, "")
    last = err.splitlines()[-1]
    assert "No such option" in last
    assert where in last
    assert "Possible" not in last


def test_limits_of_a_portrait_are_an_option_of_it(ask):
    code, _, err = ask("portrait", "bechard-1", "--limits", "2 N*m")
    assert code == 2
    assert "--max-torque" in err
    assert "robot file" not in err


@pytest.mark.parametrize("command", [["check"], ["pose", "--q", "0"], ["reach", "--to", "1, 0"]])
def test_a_file_that_is_not_there_is_exit_74(ask, command):
    code, _, err = ask(command[0], "nowhere.toml", *command[1:])
    assert code == 74
    assert "nowhere.toml" in err


def test_writing_into_no_folder_is_exit_74(ask):
    code, _, err = ask("new", "nowhere/arm.toml")
    assert code == 74
    assert "nowhere" in err


def test_debug_shows_the_traceback_wherever_it_stands(ask):
    for words in (["--debug", "check", "kel"], ["check", "kel", "--debug"]):
        code, _, err = ask(*words)
        assert code == 2
        assert "Traceback" in err
        assert "did you mean 'kehl'?" in err


def test_a_bug_of_ours_is_exit_1_in_one_sentence(ask, monkeypatch):
    def broken(*_, **__):
        raise ZeroDivisionError("boom")

    monkeypatch.setattr("ulna.cli.check.find_arm", broken)
    code, _, err = ask("check", "kehl")
    assert code == 1
    assert "a bug in ulna" in err


def test_a_file_that_ends_too_soon_is_not_taken_for_ctrl_c(ask, monkeypatch):
    def broken(*_, **__):
        raise EOFError("Ran out of input")

    monkeypatch.setattr("ulna.cli.check.find_arm", broken)
    code, _, err = ask("check", "kehl")
    assert code == 1
    assert "EOFError: Ran out of input" in err
    assert "stopped" not in err
    assert "Traceback" not in err


def test_ctrl_c_is_exit_130(ask, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("ulna.cli.check.find_arm", interrupted)
    assert ask("check", "kehl")[0] == 130


def test_new_writes_a_file_that_checks(ask, tmp_path):
    for links in (1, 2, 7):
        name = f"arm{links}.toml"
        assert ask("new", name, "--links", str(links))[0] == 0
        assert ulna.load(tmp_path / name).n == links
        assert ask("check", name)[0] == 0


def test_new_writes_a_controller_that_runs(ask, tmp_path):
    code, out, _ = ask("new", "my_controller.py")
    assert code == 0
    assert "python my_controller.py" in out
    done = subprocess.run(
        [sys.executable, "my_controller.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(Path(ulna.__file__).parents[1])},
    )
    assert "ran to t = 3 s" in done.stdout
    gap = done.stdout.split("[rad]:")[1].strip(" []\n").split()
    # The deadband is left alone, and no more than that.
    assert np.abs(np.array(gap, dtype=float)).max() <= 0.0101
    assert ask("new", "my_controller.py")[0] == 2


def test_new_replaces_nothing_by_accident(ask, tmp_path):
    (tmp_path / "arm.toml").write_text("mine")
    code, _, err = ask("new", "arm.toml")
    assert code == 2
    assert "--overwrite" in err
    assert (tmp_path / "arm.toml").read_text() == "mine"
    assert ask("new", "arm.toml", "--overwrite")[0] == 0
    assert "format = 1" in (tmp_path / "arm.toml").read_text()


def test_check_shows_degrees_newton_metres_and_kilogram_centimetres(ask, tmp_path):
    (tmp_path / "desk.toml").write_text(DESK)
    code, out, err = ask("check", "desk.toml")
    assert (code, err) == (0, "")
    row = next(line for line in out.splitlines() if "150.00" in line)
    assert "-150.00" in row
    assert "2.942" in row  # N·m
    assert " 30 " in row  # kg·cm
    assert out.rstrip().endswith("ok")


def test_check_names_every_fault_with_its_line(ask, tmp_path):
    (tmp_path / "bad.toml").write_text("format = 1\n[[link]]\nlenght = 1\nmass = -2\n")
    code, _, err = ask("check", "bad.toml")
    assert code == 2
    lines = err.splitlines()
    assert [line.split(": ")[0] for line in lines] == ["bad.toml:2", "bad.toml:3", "bad.toml:4"]
    assert "did you mean 'length'?" in lines[1]


def test_check_warns_of_an_impossible_inertia(ask, tmp_path):
    text = "format = 1\n[[link]]\nlength = 0.5\nmass = 10\ninertia = 8.3\n"
    (tmp_path / "odd.toml").write_text(text)
    code, _, err = ask("check", "odd.toml")
    assert code == 0
    assert err.startswith("warning: odd.toml:5: link.1.inertia")


def test_check_shows_friction_and_what_it_holds(ask, tmp_path):
    text = (
        "format = 1\n[[link]]\nlength = 1\nmass = 2\n"
        'joint.friction = { coulomb = "10 N*m", static = "1500 N*cm", drag = 0.2 }\n'
    )
    (tmp_path / "dry.toml").write_text(text)
    code, out, err = ask("check", "dry.toml")
    assert (code, err) == (0, "")
    table = out.partition("\nfriction\n")[2]
    assert "Coulomb [N·m]   static [N·m]   Stribeck velocity [rad/s]   drag [N·m·s²/rad²]" in table
    assert ["1", "10", "15", "0.01", "0.2"] in [line.split() for line in table.splitlines()]
    # A rod of 2 kg weighs 9.81 N·m held out level; a mass at its end 9.81 N·m a kilogram.
    held = (15.0 - 9.81) / 9.81
    assert "friction holds the arm stretched out level with up to 0.529 kg more" in out
    level = json.loads(ask("check", "dry.toml", "--json")[1])["friction_payload_level"]
    assert level == pytest.approx(held)
    (tmp_path / "dry.toml").write_text(text.replace("1500", "1000").replace("10 N*m", "5 N*m"))
    assert "stretched out level with up to 0.01936 kg" in ask("check", "dry.toml")[1]
    (tmp_path / "dry.toml").write_text(text.replace("1500", "900").replace("10 N*m", "5 N*m"))
    assert "friction does not hold the arm stretched out level\n" in ask("check", "dry.toml")[1]


def test_check_says_nothing_of_friction_where_there_is_none(ask):
    code, out, _ = ask("check", "kehl")
    assert code == 0
    assert "friction" not in out
    facts = json.loads(ask("check", "kehl", "--json")[1])
    assert "friction_payload_level" not in facts
    assert not {"coulomb", "static", "drag"} & facts["parameters"].keys()


def test_check_json_is_si(ask, tmp_path):
    (tmp_path / "desk.toml").write_text(DESK)
    _, out, _ = ask("check", "desk.toml", "--json")
    facts = json.loads(out)
    assert facts["links"] == 2
    assert facts["parameters"]["length"] == [0.25, 0.2]
    assert facts["parameters"]["upper"] == [None, pytest.approx(math.radians(150))]
    assert facts["reach"] == {"inner": pytest.approx(0.05), "outer": pytest.approx(0.45)}


def test_the_pose_of_paper_000_is_computed(ask):
    code, out, err = ask("pose", "unit", "--q", "40 deg, -60 deg")
    assert (code, err) == (0, "")
    assert "tip (1.705737, 0.300767) m, pointing at -20.0000°, elbow up" in out


def test_large_bare_angles_are_doubted(ask):
    code, _, err = ask("pose", "unit", "--q", "40, -60")
    assert code == 0
    assert "read as radians; did you mean 40 deg?" in err
    assert ask("pose", "unit", "--q", "6.2, -6.2")[2] == ""
    assert "did you mean 90 deg?" in ask("reach", "so-101", "--to", "0.2, 0.1, 90", "--json")[2]


def test_pose_explains_as_the_paper_does(ask):
    _, out, _ = ask("pose", "unit", "--q", "40 deg, -60 deg", "--explain")
    for number in ("0.7660", "-0.6428", "0.9397", "0.3420", "1.7057", "0.3008", "-20°"):
        assert number in out


def test_pose_explains_a_base(ask, tmp_path):
    ulna.save(ulna.preset("unit").replace(base=(1.0, 2.0)), tmp_path / "moved.toml")
    _, out, _ = ask("pose", "moved.toml", "--q", "0, 0", "--explain")
    assert "(1, 2) m" in out
    assert "x = 1 + 1 cos(0°) + 1 cos(0°)" in out


def test_pose_marks_limits_and_singular_postures(ask):
    _, out, _ = ask("pose", "so-101", "--q", "0, 90 deg, 0")
    assert "outside its limits" in out
    assert "singular: the links lie in one line" in ask("pose", "unit", "--q", "0.3, 0")[1]
    assert "close to singular" in ask("pose", "unit", "--q", "0, 0.3 deg")[1]
    assert ask("pose", "bechard-1", "--q", "0.3")[0] == 0


def test_both_postures_of_paper_000_are_found(ask):
    code, out, err = ask("reach", "unit", "--to", "1.71, 0.30")
    assert (code, err) == (0, "")
    lines = {line.split()[0]: line for line in out.splitlines() if "ok" in line}
    assert "-19.8156" in lines["positive"]
    assert "down" in lines["positive"]
    assert "39.7169" in lines["negative"]
    assert "up" in lines["negative"]


def test_reach_explains_as_the_paper_does(ask):
    _, out, _ = ask("reach", "unit", "--to", "1.71, 0.30", "--explain")
    for number in ("0.50705", "59.5325°", "-19.8156°", "39.7169°", "1.039037"):
        assert number in out


@pytest.mark.parametrize(
    ("arm", "place", "says"),
    [
        ("bechard-1", "0.6, 0.8", "53.1301°"),
        ("so-101", "0.2, 0.1, -30 deg", "fixes link 3"),
        ("so-101", "0.2, 0.1", "infinitely many"),
        ("bechard-4", "1, 1, 0.3", "infinitely many"),
        ("bechard-1", "0, 1, 90 deg", "fixes link 1"),
    ],
)
def test_reach_explains_every_kind_of_arm(ask, arm, place, says):
    code, out, _ = ask("reach", arm, "--to", place, "--explain")
    assert code == 0
    assert says in out


def test_out_of_reach_is_exit_5_with_the_way_out(ask):
    code, out, err = ask("reach", "unit", "--to", "3, 4")
    assert (code, out) == (5, "")
    assert "by 3 m" in err
    assert "(1.2, 1.6) m" in err
    code, out, _ = ask("reach", "unit", "--to", "3, 4", "--explain")
    assert code == 5
    assert "3 m too far out" in out


@pytest.mark.parametrize("place", ["-0.3, -0.4", "-0.05, 0.05"])
def test_the_nearest_point_offered_heeds_the_limits(ask, place):
    code, _, err = ask("reach", "so-101", "--to", place)
    assert code == 5
    x, y = map(float, err.rpartition("is (")[2].partition(")")[0].split(","))
    region = ulna.kinematics.workspace(ulna.preset("so-101"))
    nearest = region.nearest([float(part) for part in place.split(",")])
    assert np.allclose([x, y], nearest, atol=1e-6)
    assert "joint limits" in err


def test_an_orientation_that_limits_forbid_is_offered_with_a_warning(ask):
    code, _, err = ask("reach", "so-101", "--to", "-0.3, -0.6, -2")
    assert code == 5
    assert "outside their limits" in err


def test_out_of_reach_in_json(ask):
    code, out, _ = ask("reach", "unit", "--to", "3, 4", "--json")
    facts = json.loads(out)
    assert code == 5
    assert facts["reachable"] is False
    assert facts["shortfall"] == pytest.approx(3.0)
    assert facts["nearest"] == pytest.approx([1.2, 1.6])
    assert facts["solutions"][0]["q"] == [None, None]


def test_outside_the_limits_is_exit_5_but_shown(ask, tmp_path):
    joints = [ulna.Joint(), ulna.Joint(-0.1, 0.1)]
    ulna.save(ulna.preset("unit").replace(joints=joints), tmp_path / "stiff.toml")
    code, out, err = ask("reach", "stiff.toml", "--to", "1, 0")
    assert code == 5
    assert out.count("outside") == 2
    assert "joint limits" in err


def test_reach_reads_lengths_with_units(ask):
    _, out, _ = ask("reach", "unit", "--to", "171, 30 cm", "--json")
    assert json.loads(out)["target"] == pytest.approx([1.71, 0.30])


@pytest.mark.parametrize(
    ("ending", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("PDF", b"%PDF")]
)
def test_plots_have_the_format_of_their_name(ask, tmp_path, ending, start):
    assert ask("pose", "kehl", "--q", "1, 1", "--plot", f"pose.{ending}")[0] == 0
    assert (tmp_path / f"pose.{ending}").read_bytes().startswith(start)


def test_reach_draws_postures_and_workspace(ask, tmp_path):
    words = ["reach", "kehl", "--to", "0.5, 0.5", "--plot", "reach.png"]
    assert "drawn in reach.png" in ask(*words, "--explain")[1]
    code, _, err = ask(*words)
    assert code == 2
    assert "--overwrite" in err
    assert ask(*words, "--overwrite", "--json")[0] == 0
    assert ask("reach", "kehl", "--to", "5, 5", "--plot", "far.png")[0] == 5
    assert (tmp_path / "far.png").exists()


def test_arms_and_motors_are_listed_with_their_numbers(ask):
    _, out, _ = ask("list", "arms")
    for name in ulna.presets():
        assert name in out
    assert out.count("numbers ours") == 3
    _, out, _ = ask("list", "arms", "--json")
    listed = {arm["name"]: arm for arm in json.loads(out)["arms"]}
    assert listed["kehl"]["reach"] == 1.0
    _, out, _ = ask("list", "motors", "--json")
    assert {m["name"]: m for m in json.loads(out)["motors"]}["dynamixel-ax-12a"]["voltage"] == 12.0
    assert "kg·cm" in ask("list", "motors")[1]


def test_paths_are_listed_with_their_parameters(ask):
    _, out, _ = ask("list", "paths")
    assert "center=(0, 0), radius=0.1, start=0, clockwise=False" in out
    listed = json.loads(ask("list", "paths", "--json")[1])["paths"]
    assert [path["name"] for path in listed] == list(ulna.motion.SHAPES)
    assert {"name": "line", "parameters": ["start", "end"], "about": "straight on"} in listed


def test_controllers_are_listed_with_what_they_do(ask):
    _, out, _ = ask("list", "controllers")
    listed = json.loads(ask("list", "controllers", "--json")[1])["controllers"]
    assert [one["name"] for one in listed] == list(ulna.control.CONTROLLERS)
    for one in listed:
        assert one["name"] in out
        built = getattr(ulna.control, one["name"])()
        assert all(hasattr(built, name) for name in one["parameters"])
        assert one["about"]


def test_info_tells_versions_cores_and_the_cache(ask, monkeypatch, tmp_path):
    monkeypatch.setenv("ULNA_CACHE", str(tmp_path / "cache"))
    code, out, _ = ask("info", "--json")
    facts = json.loads(out)
    assert code == 0
    assert facts["ulna"] == ulna.__version__
    assert facts["packages"]["numpy"] == np.__version__
    assert facts["cores"] >= 1
    assert facts["cache"] == str(tmp_path / "cache")
    assert "numpy" in ask("info")[1]


def test_completion_knows_presets_and_files(tmp_path, monkeypatch):
    from ulna.cli.flags import complete_arm

    monkeypatch.chdir(tmp_path)
    (tmp_path / "kettle.toml").write_text(DESK)
    assert list(complete_arm("ke")) == ["kehl", "kehl-as-printed", "kettle.toml"]


def run(*words, stdout):
    command = [sys.executable, "-m", "ulna", *words]
    return subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE, check=False)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full disk to be had")
def test_a_full_disk_under_the_answer_is_exit_74():
    with Path("/dev/full").open("w") as full:
        done = run("list", "arms", stdout=full)
    assert done.returncode == 74
    assert b"cannot be written" in done.stderr
    assert b"bug" not in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="no pipes of that kind")
@pytest.mark.parametrize("words", [["list", "arms"], ["--version"], ["list", "arms", "--json"]])
def test_a_reader_who_has_had_enough_is_no_failure(words):
    read, write = os.pipe()
    os.close(read)
    done = run(*words, stdout=write)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_name_too_long_for_the_disk_is_no_bug(ask):
    assert ask("check", "x" * 5000)[0] == 2
    assert ask("check", "x" * 5000 + ".toml")[0] == 74
    assert ask("pose", "unit", "--q", "0, 0", "--plot", "x" * 300 + ".png")[0] == 74
    assert ask("pose", "unit", "--q", "0, 0", "--plot", "")[0] == 2


@pytest.mark.parametrize(
    ("angles", "doubted"),
    [
        ("40 deg, 60", True),
        ("60, 40 deg", False),
        ("60, 1", True),
        ("1 rad, 40 deg", False),
        ("atan2(1, 2), 60", True),
    ],
)
def test_every_bare_angle_is_looked_at(ask, angles, doubted):
    assert ("did you mean 60 deg?" in ask("pose", "unit", "--q", angles)[2]) is doubted


def test_a_long_limited_arm_is_checked_and_reached_at_once(ask, tmp_path):
    joints = [ulna.Joint(-1.5, 1.5)] * 300
    ulna.save(ulna.Arm.rods([0.01] * 300, [0.1] * 300, joints=joints), tmp_path / "snake.toml")
    start = time.thread_time()
    code, out, _ = ask("check", "snake.toml")
    assert code == 0
    assert "too many for an outline" in out
    assert ask("check", "snake.toml", "--json")[0] == 0
    assert ask("reach", "snake.toml", "--to", "1.5, 1.5", "--json")[0] in (0, 5)
    assert time.thread_time() - start < 30.0


def test_reach_names_elbows_and_gives_the_one_that_is_asked_for(ask):
    words = ["reach", "unit", "--to", "1, 1", "--json"]
    both = json.loads(ask(*words)[1])["solutions"]
    assert {one["branch"]: one["elbow"] for one in both} == {"positive": "down", "negative": "up"}
    for side, q in (("up", [90.0, -90.0]), ("down", [0.0, 90.0]), ("negative", [90.0, -90.0])):
        (one,) = json.loads(ask(*words, "--elbow", side)[1])["solutions"]
        assert np.degrees(one["q"]) == pytest.approx(q, abs=1e-9)
    _, out, _ = ask("reach", "unit", "--to", "1, 1", "--elbow", "up", "--explain")
    assert "negative, elbow up: q = (90.0000°, -90.0000°)" in out
    # To the left of the base the same branch is the other elbow.
    (one,) = json.loads(ask("reach", "unit", "--to", "-1, 1", "--elbow", "up", "--json")[1])[
        "solutions"
    ]
    assert one["branch"] == "positive"


def test_an_elbow_on_no_side_is_given_either_way(ask):
    code, out, _ = ask("reach", "unit", "--to", "2, 0", "--elbow", "up")
    assert code == 0
    assert "-: no side; the arm is straight or folded" in out


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["unit", "--to", "1, 1", "--elbow", "left"], 2, "--elbow: got 'left', need up, down,"),
        (["unit", "--to", "1, 1", "--elbow", "upp"], 2, "did you mean 'up'?"),
        (["so-101", "--to", "0.2, 0.1", "--elbow", "up"], 2, "need an arm of two links; leave"),
        (["unit", "--to", "1, 1", "--elbow", ""], 2, "--elbow: got ''"),
        (["unit", "--to", "3, 1", "--elbow", "up"], 5, "out of reach"),
        (["desk.toml", "--to", "0.3, 0.0", "--elbow", "up"], 5, "leave --elbow out to have it"),
    ],
)
def test_elbows_that_cannot_be_had_get_a_sentence(ask, words, code, says):
    limited = DESK.replace("-150 deg", "0 deg")
    Path("desk.toml").write_text(limited, "utf-8")
    found, out, err = ask("reach", *words)
    assert (found, "elbow up" in out) == (code, False)
    assert says in err


@pytest.mark.parametrize(
    ("word", "meant"), [("ik", "reach"), ("fk", "pose"), ("sim", "simulate"), ("plot", "show")]
)
def test_a_command_by_another_name_is_told_its_own(ask, word, meant):
    code, _, said = ask(word, "kehl")
    assert code == 2
    assert f"No such command '{word}'. Did you mean '{meant}'?" in " ".join(said.split())


@pytest.mark.parametrize("there", [True, False])
def test_an_sdf_is_told_what_a_robot_file_is(ask, there):
    if there:
        Path("arm.sdf").write_text("<sdf/>")
    code, _, said = ask("pose", "arm.sdf", "--q", "0, 0")
    assert code == 2
    assert "arm.sdf: format: got an SDF file, need a robot file of ulna" in said


def test_a_urdf_that_is_not_there_is_file_trouble(ask):
    code, _, said = ask("pose", "arm.urdf", "--q", "0, 0")
    assert code == 74
    assert "arm.urdf: cannot be read" in said
