"""Masses of geoms in MJCF files, against what MuJoCo compiles of the same files."""

import numpy as np
import pytest

import robot_descriptions as robots
import ulna
from tabular import tabular
from ulna import dynamics
from ulna.interop import import_robot

mujoco = pytest.importorskip("mujoco", reason="MuJoCo has no wheel for this platform")
pytestmark = pytest.mark.filterwarnings("ignore:link:ulna.UlnaWarning")  # links with far geoms


def check_as_mujoco(text, tmp_path, **links):
    """Compare torques and tip of a file with those of MuJoCo's own reading of it."""
    file = tmp_path / "robot.xml"
    file.write_text(text)
    found = import_robot(file, **links)
    model = mujoco.MjModel.from_xml_string(text)
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    data, signs, n = mujoco.MjData(model), np.array(found.signs), found.arm.n
    theta, rates, gains = np.random.default_rng(n).normal(size=(3, 20, n))
    q = found.from_file_angles(theta)
    own = dynamics.inverse_dynamics(found.arm, q, signs * rates, signs * gains)
    tips = ulna.kinematics.tip(found.arm, q)
    along = -model.jnt_axis[0][1]  # x of the arm is that of the world, or against it
    for k in range(20):
        data.qpos, data.qvel, data.qacc = theta[k], rates[k], gains[k]
        mujoco.mj_inverse(model, data)
        assert own[k] == pytest.approx(signs * data.qfrc_inverse, rel=1e-9, abs=1e-9)
        x, _, z = data.site("tool").xpos
        assert tips[k, :2] == pytest.approx([along * x, z], abs=1e-9)
    return found


@tabular("seed", range(6))
def test_bodies_weigh_what_their_geoms_do(tmp_path_factory, seed):
    text = robots.random_geoms_arm(np.random.default_rng(seed), 1 + seed)
    check_as_mujoco(text, tmp_path_factory.mktemp("geoms"))


COMPILERS = [
    'balanceinertia="true" boundmass="2.5" boundinertia="0.02"',
    'balanceinertia="true" inertiagrouprange="1 2"',
    'inertiafromgeom="true"',
    'balanceinertia="true" eulerseq="ZyX"',
]


@tabular("compiler", COMPILERS)
def test_settings_of_the_compiler_mean_what_they_mean_to_mujoco(tmp_path_factory, compiler):
    text = robots.random_geoms_arm(np.random.default_rng(9), 3, compiler)
    inertial = '<inertial pos="0.1 0.2 0.1" mass="2" diaginertia="0.1 0.04 0.03"/>'
    text = text.replace('class="heavy"/>', f'class="heavy" group="1"/>{inertial}', 2)
    check_as_mujoco(text, tmp_path_factory.mktemp("compiler"))


def test_bodies_without_a_mass_have_the_least_inertia_of_the_file(tmp_path):
    inertial = '<inertial pos="0.1 0 0" mass="1" diaginertia="0.002 0.003 0.004"/>'
    hollow = '<body pos="0.2 0 0" euler="10 20 30"/>'
    check_as_mujoco(
        f"""<mujoco><compiler boundinertia="0.05"/><worldbody>
        <body><joint axis="0 1 0"/>{inertial}{hollow}{hollow}<site name="tool" pos="0.3 0 0"/>
        </body></worldbody></mujoco>""",
        tmp_path,
        tip_link="tool",
    )
