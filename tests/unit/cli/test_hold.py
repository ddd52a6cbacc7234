"""`ulna hold`: torques that a person can work out by hand, limits, and what wrong words get."""

import json
import math
import re

import pytest

import ulna

G = 9.81


@pytest.fixture
def ask(ask):
    """Return what runs this command in an empty folder: (*words) -> exit code, answer, notes."""
    return lambda *words: ask("hold", *words)


@pytest.fixture
def torques(ask):
    """Run the command; gives the torques of its JSON."""

    def run(*words):
        code, out, err = ask(*words, "--json")
        assert (code, err) == (0, "")
        return json.loads(out)["torque"]

    return run


@pytest.fixture
def rod(tmp_path):
    """Write the file of one rod of 0.5 m and 2 kg."""
    ulna.save(ulna.Arm.rods([0.5], [2.0], name="rod"), tmp_path / "rod.toml")
    return "rod.toml"


def column(table, title):
    """Give the numbers of a column of a printed table."""
    lines = table.splitlines()
    head = next(line for line in lines if "joint" in line)
    titles = [name.strip() for name in re.split(r"\s{2,}", head.strip())]
    rows = [line.split() for line in lines if re.match(r"\s*\d+\s+-?\d", line)]
    return [float(row[titles.index(title)]) for row in rows]


def test_a_rod_held_level_needs_its_weight_at_half_its_length(ask, rod):
    code, out, err = ask(rod, "--q", "0")
    assert (code, err) == (0, "")
    assert out.startswith("rod: torques that hold the pose\n")
    assert column(out, "torque [N·m]") == [pytest.approx(2.0 * G * 0.5 / 2, abs=5e-5)]
    assert "tip (0.500000, 0.000000) m\n" in out
    assert "limit" not in out
    assert "tip force" not in out


def test_a_payload_hangs_at_the_tip(torques):
    expected = [G * (0.5 + 1.5) + 0.2 * G * 2.0, G * 0.5 + 0.2 * G * 1.0]
    for mass in ("200 g", "0.2"):
        found = torques("unit", "--q", "0, 0", "--payload", mass)
        assert found == pytest.approx(expected, rel=1e-12)


def test_a_moment_acts_on_every_joint_alike(torques):
    expected = [G * 2.0 - 3.0 * 2.0 - 0.5, G * 0.5 - 3.0 - 0.5]
    for force in ("0 N, 3 N, 0.5 N*m", "0, 3, 0.5"):
        found = torques("unit", "--q", "0, 0", "--tip-force", force)
        assert found == pytest.approx(expected, rel=1e-12)


def test_a_flat_arm_weighs_nothing(torques):
    assert torques("unit", "--q", "0.3, 0.4", "--no-gravity") == [0.0, 0.0]
    # A pull to the left on a right angle: its lever is 1 m to joint 1 and 2 alike.
    found = torques("unit", "--q", "0, 90 deg", "--no-gravity", "--tip-force", "-2 N, 0 N")
    assert found == pytest.approx([-2.0, -2.0], rel=1e-12)


def test_json_is_si(ask):
    code, out, err = ask("unit", "--q", "0, 0", "--tip-force", "0, 3", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out) == {
        "arm": "unit",
        "q": [0.0, 0.0],
        "tip_force": [0.0, 3.0],
        "torque": pytest.approx([G * 2.0 - 6.0, G * 0.5 - 3.0], rel=1e-12),
        "gravity": pytest.approx([G * 2.0, G * 0.5], rel=1e-12),
        "max_torque": [None, None],
        "holds": True,
        "payload": 0.0,
        "payload_margin": None,
    }


def test_gravity_and_tip_force_stand_apart(ask):
    _, out, _ = ask("unit", "--q", "0, 0", "--tip-force", "0, 3, 0.5")
    assert column(out, "gravity [N·m]") == pytest.approx([G * 2.0, G * 0.5], abs=5e-5)
    assert column(out, "tip force [N·m]") == pytest.approx([-6.5, -3.5], abs=5e-5)
    assert ", with (0, 3) N and a moment of 0.5 N·m acting on it" in out
    assert "(0, 3) N acting on it" in ask("unit", "--q", "0, 0", "--tip-force", "0, 3")[1]


def limited(tmp_path):
    joints = [ulna.Joint(max_torque=10.0), ulna.Joint()]
    ulna.save(ulna.Arm.rods([1.0, 1.0], [0.2, 0.2], joints=joints), tmp_path / "weak.toml")
    return "weak.toml"


def test_the_share_of_the_limit_is_told(ask, tmp_path):
    code, out, _ = ask(limited(tmp_path), "--q", "0, 0")
    assert code == 0
    (used,) = (line.split() for line in out.splitlines() if line.strip().startswith("1 "))
    share = 0.2 * G * 2.0 / 10.0
    assert used[3:] == ["10", f"{100 * share:.1f}"]
    # A load of (10 N·m − weight) / 2 m is what joint 1 has left.
    spare = float(re.search(r"hold up to (\S+) kg more", out)[1])
    assert spare == pytest.approx((10.0 - 0.2 * G * 2.0) / (2.0 * G), rel=1e-3)


def named_payload(err):
    return re.search(r"it could be held with a payload of (\S+) kg$", err.strip())[1]


def test_more_than_the_motors_give_is_exit_5_with_a_way_out(ask):
    code, out, err = ask("so-101", "--q", "0, 0, 0", "--payload", "2 kg")
    assert code == 5
    assert "used [%]" in out
    assert err.startswith("the pose cannot be held: joint 1 needs ")
    for joint in (1, 2, 3):
        motor = "its motor feetech-sts3215-12v"
        assert re.search(rf"joint {joint} needs \S+ N·m and {motor} gives 2\.94199 N·m", err)
    arm = ulna.preset("so-101")
    # By hand: what joint 1 has left, over the reach of the stretched arm.
    level = sum(
        link.mass * (before + link.com)
        for link, before in zip(arm.links, (0.0, 0.116, 0.251), strict=True)
    )
    largest = (2.942 - G * level) / (G * 0.410227)
    assert float(named_payload(err)) == pytest.approx(largest, rel=1e-3)
    assert ask("so-101", "--q", "0, 0, 0", "--payload", f"{0.999 * largest} kg")[0] == 0
    assert ask("so-101", "--q", "0, 0, 0", "--payload", f"{1.001 * largest} kg")[0] == 5


def test_the_load_that_is_left_can_be_held(ask):
    for q in ("-0.013, 0.943, -0.429", "0, 0, 0", "0.5, -0.4, 0.3"):
        _, out, _ = ask("so-101", "--q", q)
        more = re.search(r"hold up to (\S+) kg more", out)[1]
        assert ask("so-101", "--q", q, "--payload", f"{more} kg")[0] == 0


@pytest.fixture
def exact(tmp_path):
    """Write the file of an arm that holds 2 kg and not a gram more, in numbers without rounding."""
    joints = [ulna.Joint(max_torque=21.0)]
    arm = ulna.Arm.rods([1.0], [0.2], joints=joints, gravity=(0.0, -10.0))
    ulna.save(arm, tmp_path / "exact.toml")
    return "exact.toml"


def test_a_round_load_is_named_as_it_is(ask, exact):
    assert "hold up to 2 kg more" in ask(exact, "--q", "0")[1]
    assert named_payload(ask(exact, "--q", "0", "--payload", "3 kg")[2]) == "2"


def test_a_joint_at_its_limit_holds_and_carries_no_more(ask, exact):
    code, out, _ = ask(exact, "--q", "0", "--payload", "2 kg")
    assert code == 0
    assert "hold up to 0 kg more" in out
    assert ask(exact, "--q", "0", "--payload", "2.001 kg")[0] == 5


def test_json_and_explanation_end_in_exit_5_too(ask):
    words = ["so-101", "--q", "0, 0, 0", "--payload", "2 kg"]
    code, out, _ = ask(*words, "--json")
    facts = json.loads(out)
    assert code == 5
    assert facts["holds"] is False
    assert facts["payload"] == 2.0
    assert facts["payload_margin"] < 0.0
    code, out, _ = ask(*words, "--explain")
    assert code == 5
    assert "tau_3" in out


def test_where_no_payload_helps_another_way_out_is_named(ask):
    code, _, err = ask("so-101", "--q", "0, 0, 0", "--tip-force", "0, -50 N")
    assert code == 5
    assert "move the tip closer to the base, or choose stronger motors" in err


def test_a_pose_that_is_not_held_is_not_said_to_hold_more(ask):
    # A moment lifts the last link: with a load it would hold, without one it does not.
    code, out, err = ask("so-101", "--q", "10 deg, 20 deg, 30 deg", "--tip-force", "1, 2, 3")
    assert code == 5
    assert "could be held with a payload" in err
    assert "hold up to" not in out


# -------------------------------------------------------------------------------- friction


@pytest.fixture
def sticky(tmp_path):
    """Write the file of a metre with a kilogram at its end, 15 N·m of static friction, 10 N·m."""
    joint = ulna.Joint(max_torque=10.0, friction=ulna.Friction(12.0, 15.0))
    arm = ulna.Arm.point_masses([1.0], [1.0], joints=[joint], gravity=(0.0, -10.0), name="sticky")
    ulna.save(arm, tmp_path / "sticky.toml")
    return "sticky.toml"


def test_friction_holds_the_arm_where_it_is_and_a_load(ask, sticky):
    """10 N·m of weight and 15 of friction: half a kilogram more holds without motors."""
    code, out, err = ask(sticky, "--q", "0")
    assert (code, err) == (0, "")
    assert column(out, "torque [N·m]") == [10.0]
    assert column(out, "holds from [N·m]") == [-5.0]
    assert column(out, "to [N·m]") == [25.0]
    stays = "without motors the arm stays where it is: friction holds it, with up to 0.5 kg more"
    assert stays in out
    # With motors 25 N·m hold, which is 2.5 kg.
    assert "the joints hold up to 1.5 kg more at the tip, friction included" in out
    assert ask(sticky, "--q", "0", "--payload", "1.5 kg")[0] == 0
    code, out, err = ask(sticky, "--q", "0", "--payload", "1.501 kg")
    assert code == 5
    assert "gives 10 N·m beside 15 N·m of friction; it could be held with a payload of 1.5" in err


def test_a_load_that_friction_does_not_hold_is_told_with_one_that_it_does(ask, sticky):
    code, out, _ = ask(sticky, "--q", "0", "--payload", "1 kg")
    assert code == 0
    assert "without motors the arm does not stay: joint 1 needs 20 N·m and its static" in out
    assert "friction would hold it with a payload of 0.5 kg" in out


def test_what_friction_holds_in_json_and_explained(ask, sticky):
    facts = json.loads(ask(sticky, "--q", "0", "--json")[1])
    assert facts["friction"] == {
        "static": [15.0], "torque_from": [-5.0], "torque_to": [25.0], "holds": True,
        "payload_margin": pytest.approx(0.5),
    }  # fmt: skip
    explained = ask(sticky, "--q", "0", "--explain")[1]
    assert "f_1 = 15 N·m: from -5 to 25 N·m: no motor is needed" in explained


def test_without_friction_nothing_is_said_of_it(ask, rod):
    assert "friction" not in "".join(ask(rod, "--q", "0")[1:])
    assert "friction" not in json.loads(ask(rod, "--q", "0", "--json")[1])
    assert "friction" not in ask(rod, "--q", "0", "--explain")[1]


# ------------------------------------------------------------------------------- explained


def worked(line):
    """Work out every side of a printed line of arithmetic; gives what it is of, and the sides."""
    name, *sides = line.strip().split(" = ")
    found = []
    for side in sides:
        text = re.sub(r" (?:N·m|kg·m)$", "", side)
        text = re.sub(r"(cos|sin)\((-?[\d.e-]+)°\)", r"\1(radians(\2))", text)
        text = re.sub(r"(?<=\d) (?=cos|sin)", " * ", text).replace("·", "*")
        found.append(eval(text, {"cos": math.cos, "sin": math.sin, "radians": math.radians}))
    return name, found


def explained(out):
    """Read an explanation back: the moments, what links ask for, and what joints hold."""
    lines = [part for line in out.splitlines() for part in re.split(r" {8}", line.strip())]
    numbers = [line for line in lines if re.match(r"[seQ]_\d+ = ", line)]
    found = dict(map(worked, numbers))
    for line in lines:
        match = re.match(r"(tau_\d+) = (.*) = (\S+) N·m$", line)
        if match:
            found[match[1]] = (match[2], float(match[3]))
    return found


CROOKED = ulna.Arm.of(
    [ulna.Link(0.5, 2.0, com=0.2, com_offset=0.05), ulna.Link(0.4, 1.0, com_offset=-0.03)],
    gravity=(2.0, -9.0),
    payload=0.5,
    name="crooked",
)


STRAIGHT = ulna.Arm.rods([0.5, 0.4], [2.0, 1.0])
WORKED = [
    (CROOKED, []),
    (CROOKED.replace(gravity=(0.0, 5.0)), ["--payload", "0"]),
    (STRAIGHT, []),
    (STRAIGHT, ["--no-gravity"]),
]
PUSHED = [
    (CROOKED, ["--tip-force", "3, -4, 0.5"]),
    (CROOKED.replace(gravity=(0.0, -9.81)), ["--tip-force", "3, -4"]),
    (STRAIGHT.replace(gravity=(3.0, -9.0)), ["--tip-force", "0, 0, 2"]),
    (STRAIGHT, ["--no-gravity", "--tip-force", "1, 1"]),
]


@pytest.fixture
def asked(ask, tmp_path):
    """Give the command's words for an arm, and its explanation read back."""

    def run(arm, words):
        ulna.save(arm, tmp_path / "arm.toml")
        given = ["arm.toml", "--q", "20 deg, -65 deg", *words]
        code, out, err = ask(*given, "--explain")
        assert (code, err) == (0, "")
        return given, explained(out)

    return run


@pytest.mark.parametrize(("arm", "words"), WORKED + PUSHED)
def test_an_explanation_ends_at_the_torques(asked, torques, arm, words):
    given, found = asked(arm, words)
    assert {"s_1", "s_2", "Q_1", "Q_2", "tau_1", "tau_2"} <= found.keys()
    assert ("e_2" in found) == bool(arm.links[1].com_offset)
    asks = {name: sides[-1] for name, sides in found.items() if name.startswith("Q")}
    for k, torque in enumerate(torques(*given), 1):
        terms, total = found[f"tau_{k}"]
        assert terms == " + ".join(f"Q_{i}" for i in range(k, 3))
        # Six digits of every number are printed.
        assert total == pytest.approx(torque, rel=5e-6, abs=1e-12)
        added = sum(asks[name] for name in terms.split(" + "))
        assert added == pytest.approx(torque, abs=2 * 5e-6 * max(map(abs, asks.values())))


@pytest.mark.parametrize(("arm", "words"), WORKED + PUSHED)
def test_all_sides_of_every_explained_line_are_equal(asked, arm, words):
    for name, sides in asked(arm, words)[1].items():
        if not name.startswith("tau"):
            # Six digits of every number are printed, of at most ten or so that are multiplied.
            last = sides[-1]
            assert sides == pytest.approx([last] * len(sides), rel=1e-5, abs=1e-4), name


def test_an_explanation_has_the_numbers_that_a_person_would_find(ask):
    _, out, _ = ask("unit", "--q", "60 deg, -60 deg", "--explain")
    assert "s_1 = 1 · 0.5 + 1 · 1 = 1.5 kg·m" in out
    assert "s_2 = 1 · 0.5 + 1 · 0 = 0.5 kg·m" in out
    assert "phi_1 = 60°   phi_2 = 0°" in out
    assert "Q_1 = 9.81 · 1.5 cos(60°) = 7.3575 N·m" in out
    assert "Q_2 = 9.81 · 0.5 cos(0°) = 4.905 N·m" in out
    assert out.rstrip().endswith("tau_2 = Q_2 = 4.905 N·m")
    assert "tau_1 = Q_1 + Q_2 = 12.2625 N·m" in out


def test_an_explanation_says_what_the_force_does(ask):
    _, out, _ = ask("unit", "--q", "0, 0", "--tip-force", "0, 3, 0.5", "--explain")
    assert "less what the force on the tip, which acts on the arm, does for it" in out
    assert "less the moment on the tip" in out
    assert "4.905 - 3.5 = 1.405 N·m" in out
    _, out, _ = ask("unit", "--q", "0, 0", "--tip-force", "0, -3", "--explain")
    assert "4.905 + 3 = 7.905 N·m" in out
    assert "moment on the tip" not in out
    _, out, _ = ask("unit", "--q", "0, 0", "--tip-force", "0, 0, 1", "--explain")
    assert "less what the force" not in out
    assert "less the moment on the tip" in out


def test_a_long_sum_is_written_short(ask, tmp_path):
    ulna.save(ulna.Arm.rods([0.1] * 6, [0.5] * 6), tmp_path / "snake.toml")
    _, out, _ = ask("snake.toml", "--q", "0, 0, 0, 0, 0, 0", "--explain")
    assert "tau_1 = Q_1 + ... + Q_6 = " in out
    assert "tau_3 = Q_3 + Q_4 + Q_5 + Q_6 = " in out


# ----------------------------------------------------------------------------- wrong words


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["unit"], "--q"),
        (["unit", "--q", "0"], "got 1 angle, need 2"),
        (["unit", "--q", "0, 0, 0"], "got 3 angles, need 2"),
        (["unit", "--q", "0, 5 kg"], "kg"),
        (["unit", "--q", "0, nan"], "finite"),
        (["unit", "--q", "0, 0", "--tip-force", "1"], "--tip-force: got 1 value"),
        (["unit", "--q", "0, 0", "--tip-force", "1, 2, 3, 4"], "--tip-force: got 4 values"),
        (["unit", "--q", "0, 0", "--tip-force", "1 kg, 2 kg"], "'kg' is a unit of mass"),
        (["unit", "--q", "0, 0", "--tip-force", "1, 2, 3 N"], "'N' is a unit of force"),
        (["unit", "--q", "0, 0", "--tip-force", "inf, 0"], "finite"),
        (["unit", "--q", "0, 0", "--tip-force", ""], "--tip-force"),
        (["unit", "--q", "0, 0", "--payload", "-1"], "payload"),
        (["unit", "--q", "0, 0", "--payload", "abc"], "--payload: got 'abc'"),
        (["unit", "--q", "0, 0", "--payload", "2 N"], "'N' is a unit of force"),
        (["unit", "--q", "0, 0", "--payload", "nan"], "--payload: got 'nan'"),
        (["unti", "--q", "0, 0"], "did you mean 'unit'?"),
    ],
)
def test_bad_words_get_a_sentence_and_exit_2(ask, words, says):
    code, out, err = ask(*words)
    assert code == 2
    assert says in err
    assert out == ""


def test_a_robot_file_that_is_not_there_is_exit_74(ask):
    assert ask("nowhere.toml", "--q", "0")[0] == 74


def test_large_bare_angles_are_doubted(ask):
    code, _, err = ask("unit", "--q", "40, -60")
    assert code == 0
    assert "did you mean 40 deg?" in err


def test_where_the_force_is_too_much_a_smaller_one_is_a_way_out(ask):
    code, _, err = ask("so-101", "--q", "0, 0, 0", "--no-gravity", "--tip-force", "0, -50 N")
    assert code == 5
    assert "lessen the force" in err


def test_an_upright_arm_is_not_said_to_carry_the_moon(ask):
    assert "kg more" not in ask("so-101", "--q", "90 deg, 0, 0")[1]


@pytest.mark.parametrize(
    "words",
    [
        ["--q", "1e308, 1e308"],
        ["--q", "0, 0", "--tip-force", "1.7e308, -1.7e308 N"],
    ],
    ids=["angles", "force"],
)
def test_what_arithmetic_cannot_hold_is_refused(ask, words):
    code, out, err = ask("unit", *words)
    assert code == 2
    assert out == ""
    assert "arithmetic can hold" in err
