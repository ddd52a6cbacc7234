"""`ulna import` and `ulna export`: other programs' files at the command line."""

from pathlib import Path

import pytest

import robot_descriptions as robots
import ulna


@pytest.fixture
def written(ask):
    Path("acrobot.urdf").write_text(robots.acrobot())
    Path("desk.urdf").write_text(robots.pitch_arm())
    return ask


def test_a_urdf_becomes_a_robot_file(written):
    code, out, _ = written("import", "acrobot.urdf", "--out", "acrobot.toml")
    assert code == 0
    arm = ulna.load("acrobot.toml")
    assert arm.name == "acrobot"
    assert arm.lengths == pytest.approx([1.0, 2.0])
    assert [joint.damping for joint in arm.joints] == [0.1, 0.2]
    for word in ("shoulder", "elbow", "against the file's", "-90"):
        assert word in out


def test_without_a_name_the_robot_file_is_printed(written):
    code, out, _ = written("import", "acrobot.urdf")
    assert code == 0
    Path("printed.toml").write_text(out)
    assert ulna.load("printed.toml").n == 2


def test_commands_read_a_urdf_as_they_are(written):
    code, out, said = written("check", "acrobot.urdf")
    assert code == 0
    assert "acrobot: 2 links" in out
    assert "counts joint angles from another zero" in said


def test_what_is_not_planar_is_named_with_its_line_and_a_way_out(written):
    code, _, said = written("import", "desk.urdf", "--out", "desk.toml")
    assert code == 2
    assert "desk.urdf: joint.shoulder_lift.axis: got an axis at 90° to that of 'pan'" in said
    assert said.count("name the planar part: --base-link and --tip-link") == 5
    assert not Path("desk.toml").exists()


def test_all_that_is_not_planar_is_told_at_once(ask):
    Path("arm.urdf").write_text(robots.prismatic_gripper_arm())
    code, _, said = ask("import", "arm.urdf")
    assert code == 2
    assert "joint.gripper: got a prismatic joint" in said
    assert "joint.gripper_sub: got a joint that mimics 'gripper'" in said


def test_the_planar_part_is_asked_for_by_links(written):
    words = ("import", "desk.urdf", "--base-link", "shoulder", "--tip-link", "gripper_frame")
    code, _, said = written(*words)
    assert code == 2
    assert "joint.wrist_roll.axis: got an axis at" in said
    assert "name the planar part: --base-link and --tip-link" in said
    code, _, said = written(*words[:-1], "wrist", "--out", "desk.toml")
    assert code == 0
    assert "held at zero, as no part of the arm: pan, wrist_roll, grip" in said
    assert ulna.load("desk.toml").n == 3


def test_joints_on_the_way_to_the_tip_are_held_by_their_names(written):
    words = ("import", "desk.urdf", "--base-link", "shoulder", "--tip-link", "gripper_frame")
    code, _, said = written(*words, "--out", "desk.toml")
    assert code == 2
    assert "or joints to --hold" in said
    code, _, said = written(*words, "--hold", "wrist_roll", "--hold", "grip", "--out", "desk.toml")
    assert code == 0
    assert "held at zero, as no part of the arm: pan, wrist_roll, grip" in said
    assert ulna.load("desk.toml").n == 3
    code, _, said = written(*words, "--hold", "wrist_rol")
    assert code == 2
    assert "--hold: got 'wrist_rol', need a joint of the file that moves; did you mean" in said


def test_a_file_that_exists_is_kept(written):
    Path("arm.toml").write_text("mine")
    code, _, said = written("import", "acrobot.urdf", "--out", "arm.toml")
    assert code == 2
    assert "--overwrite" in said
    assert Path("arm.toml").read_text() == "mine"
    assert written("import", "acrobot.urdf", "--out", "arm.toml", "--overwrite")[0] == 0


def test_a_link_that_is_not_there_is_answered_with_the_nearest(written):
    code, _, said = written("import", "acrobot.urdf", "--tip-link", "hnd")
    assert code == 2
    assert "--tip-link: got 'hnd', need a link of the file; did you mean 'hand'?" in said


def test_an_arm_is_exported_and_what_is_lost_is_told(ask):
    code, out, said = ask("export", "so-101", "--out", "so.urdf")
    assert code == 0
    assert "wrote so.urdf, an arm of 3 links" in out
    assert "so.urdf loses the rotor of joint 2: torques differ by up to" in said
    assert "so.urdf loses limits of the motors of joints 1, 2, 3" in said
    assert ask("export", "so-101", "--out", "so.urdf")[0] == 2


def test_the_largest_difference_of_torques_is_told_and_there_as_json(ask, facts):
    said = ask("export", "so-101", "--out", "so.urdf")[2]
    assert "so.urdf: torques differ from the arm's by up to 0.279 N·m (joint 2)" in said
    found = facts("export", "so-101", "--out", "again.urdf")
    assert found["file"] == "again.urdf"
    assert found["largest_torque_difference"] == max(found["torque_differences"])
    assert found["largest_torque_difference"] == pytest.approx(0.279, abs=5e-4)
    assert any("the rotor of joint 2" in part for part in found["lost"])
    assert found["left_out_by_readers"] == []
    arm = ulna.preset("so-101")
    assert found["rates"] == pytest.approx([joint.max_velocity for joint in arm.joints])


def test_an_mjcf_file_is_written_and_read_back(ask):
    code, out, _ = ask("export", "kehl", "--out", "kehl.xml")
    assert code == 0
    assert "torques are those of the arm" in out
    code, out, _ = ask("import", "kehl.xml")
    assert code == 0
    Path("kehl.toml").write_text(out)
    assert ulna.load("kehl.toml").reach == pytest.approx(ulna.preset("kehl").reach)


@pytest.mark.parametrize("words", [(), ("--out", "arm.step")])
def test_an_export_needs_a_file_of_a_known_kind(ask, words):
    code, _, said = ask("export", "kehl", *words)
    assert code == 2
    assert "a name that ends in .urdf" in said


@pytest.mark.parametrize(
    ("name", "text", "code", "sentence"),
    [
        ("a.urdf", "<!DOCTYPE r []><robot/>", 2, "a.urdf: XML: got a document type"),
        ("a.urdf", "", 2, "a.urdf: XML: got no element found"),
        ("a.xml", "<mujoco/>", 2, "a.xml: robot: got no joint that turns"),
        ("a.step", "solid", 2, "need a file that ends in .urdf, .xml, .mjcf"),
        ("a.urdf", None, 74, "a.urdf: cannot be read: No such file or directory"),
    ],
)
def test_hostile_files_end_with_a_sentence_and_their_code(ask, name, text, code, sentence):
    if text is not None:
        Path(name).write_text(text)
    found, _, said = ask("import", name)
    assert found == code
    assert sentence in said
    assert "Traceback" not in said
