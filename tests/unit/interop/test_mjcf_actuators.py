"""Torques that the actuators of MJCF files leave to joints, against those that MuJoCo applies."""

import numpy as np
import pytest

import ulna
from mujoco_torques import mujoco
from tabular import tabular
from ulna.interop import import_robot

SERVO = "only limits of torque are used: act"


def one_hinge(actuators, *, joint="", default="", more=""):
    return f"""<mujoco>{more}<default>{default}</default><worldbody>
<body name="arm"><inertial pos="1 0 0" mass="1" diaginertia="1 1 1"/>
<joint name="j" axis="0 1 0" {joint}/></body></worldbody>
<actuator>{actuators}</actuator></mujoco>"""


def read(text, tmp_path):
    (tmp_path / "arm.xml").write_text(text)
    return import_robot(tmp_path / "arm.xml").arm.joints[0].max_torque


def largest_torque(text):
    """Return what MuJoCo's actuators bring to the joint at most, the same both ways."""
    model = mujoco.MjModel.from_xml_string(text)
    data, found = mujoco.MjData(model), []
    for data.ctrl in (np.full(model.nu, -1e6), np.full(model.nu, 1e6)):
        mujoco.mj_forward(model, data)
        found.append(float(data.qfrc_actuator[0]))
    assert found[0] == pytest.approx(-found[1])
    return abs(found[1])


MOTORS = [
    '<motor joint="j" ctrlrange="-2 2"/>',
    '<motor joint="j" ctrlrange="-2 2" gear="-30"/>',
    '<motor joint="j" ctrlrange="-2 2" gear="30 0 0 0 0 0" forcerange="-1.5 1.5"/>',
    '<motor joint="j" ctrlrange="-2 2" ctrllimited="false" forcerange="-7 7"/>',
    '<motor joint="j" ctrlrange="-2 2"/><motor joint="j" ctrlrange="-3 3" gear="2"/>',
    '<general joint="j" ctrlrange="-2 2" gainprm="4"/>',
    '<motor joint="j" ctrlrange="0 5"/><motor joint="j" ctrlrange="-5 0"/>',
    '<motor joint="j" ctrlrange="-2 2"/><motor joint="j" gear="0"/>',
    '<motor joint="j"/>',
]


@pytest.mark.filterwarnings("ignore:the frame of:ulna.UlnaWarning")
@tabular("motor", MOTORS)
def test_limits_of_motors_are_those_of_the_joint(tmp_path_factory, motor):
    limits = 'actuatorfrcrange="-50 50"'
    geared = '<tendon damping="3"/><motor gear="9"/>'  # a default of tendons is none of motors
    for options in ({}, {"joint": limits}, {"default": geared, "joint": limits}):
        text = one_hinge(motor, **options)
        expected = largest_torque(text)
        found = read(text, tmp_path_factory.mktemp("motor"))
        assert found == (pytest.approx(expected) if expected < 1e5 else np.inf)


@pytest.mark.filterwarnings("ignore:the frame of:ulna.UlnaWarning")
def test_a_servo_leaves_its_limit_and_its_law_is_told(tmp_path):
    text = one_hinge('<position name="act" joint="j" kp="1e5" forcerange="-3 3"/>')
    with pytest.warns(ulna.UlnaWarning, match=SERVO):
        assert read(text, tmp_path) == pytest.approx(largest_torque(text)) == 3.0


@pytest.mark.filterwarnings("ignore:the frame of:ulna.UlnaWarning")
def test_a_motor_that_pushes_further_one_way_is_taken_by_the_smaller(tmp_path):
    with pytest.warns(
        ulna.UlnaWarning, match=r"actuator act: of torques from -2 to 5 N·m the smaller side"
    ):
        assert read(one_hinge('<motor name="act" joint="j" ctrlrange="-2 5"/>'), tmp_path) == 2.0


@pytest.mark.parametrize("key", ["armature", "damping"])
def test_an_inertia_or_a_damping_of_an_actuator_is_refused(tmp_path, key):
    with pytest.raises(ulna.InputError, match=f"{key} of an actuator, need the {key} of a joint"):
        read(one_hinge(f'<motor name="a" joint="j" {key}="0.1"/>'), tmp_path)


@tabular(
    "motors",
    [
        '<motor name="act" joint="j" ctrlrange="0 5"/>',
        '<motor name="act" joint="j" ctrlrange="1 5"/>',
        '<motor name="act" joint="j" forcerange="-3 0"/>',
        '<motor joint="j" ctrlrange="0 5"/><motor name="act" joint="j" ctrlrange="0 2"/>',
    ],
)
def test_motors_that_turn_a_joint_one_way_only_are_refused(tmp_path_factory, motors):
    with pytest.raises(ulna.InputError, match=r"arm\.xml: actuator .*act: .*one side only"):
        read(one_hinge(motors), tmp_path_factory.mktemp("one"))


@pytest.mark.filterwarnings("ignore:the frame of:ulna.UlnaWarning")
def test_a_signal_that_is_not_clamped_and_a_motor_without_a_gear_limit_nothing(tmp_path):
    motor = '<motor joint="j" ctrlrange="-2 2"/>'
    text = one_hinge(motor, more='<option><flag clampctrl="disable"/></option>')
    assert largest_torque(text) == 1e6
    assert read(text, tmp_path) == np.inf
    assert read(one_hinge(motor.replace("/>", ' gear="0"/>')), tmp_path) == np.inf
