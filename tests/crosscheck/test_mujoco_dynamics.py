"""Dynamics against MuJoCo: 1,000 random arms and states of 1 to 50 links.

MuJoCo's armature adds to the diagonal of the mass matrix and knows nothing of the link that
carries a rotor, so that it is right for the first joint alone, whose rotor stands on the ground.
The others are bodies of their own here: each hangs on the link before its joint, in the place of
the point mass there, turns on a joint of its own, and is geared by projection. With P the matrix
of the gears, which gives the rates of all joints, rotors' too, from those of the arm,
M = Pᵀ M' P and τ = Pᵀ τ'. Accelerations of such an arm go back through MuJoCo's inverse dynamics;
its forward dynamics is compared for arms whose other rotors are geared 1 : 1, which only adds to
the inertia of their links.
"""

import numpy as np
import pytest

from tabular import tabular
from ulna import dynamics

mujoco = pytest.importorskip(
    "mujoco", reason="MuJoCo has no wheel for this platform: dynamics not cross-checked"
)

ARMS_EACH = 20
TOLERANCE = 1e-10  # relative to the largest entry, and to the largest term of a sum


class Chain:
    """A model that serves all arms of n links in turn, with the joints of links and of rotors.

    It is compiled with centres of mass off the joints, which the compiler would otherwise take
    for granted. The payload is a body welded to the tip, where forces act as well.
    """

    def __init__(self, n, *, rotors):
        inertial = '<inertial pos="1 1 0" mass="1" diaginertia="1 1 1"/>'
        hinge = '<joint type="hinge" axis="0 0 1"/>'
        rotor = f'<body name="rotor {{}}">{inertial}{hinge}</body>'
        bodies = f'<body name="tip" pos="1 0 0">{inertial}</body>'
        for number in reversed(range(n)):
            beside = rotor.format(number) if rotors and number else ""
            link = f'<body name="link {number}" pos="1 0 0">{inertial}{hinge}{bodies}</body>'
            bodies = beside + link
        self.model = mujoco.MjModel.from_xml_string(
            '<mujoco><option><flag energy="enable" constraint="disable"/></option>'
            f"<worldbody>{bodies}</worldbody></mujoco>"
        )
        self.data = mujoco.MjData(self.model)

        def numbers(name, count):
            return np.array([self.model.body(f"{name} {k}").id for k in range(*count)], dtype=int)

        self.tip = self.model.body("tip").id
        self.links = numbers("link", (n,))
        self.rotors = numbers("rotor", (1, n)) if rotors else np.array([], dtype=int)

    def dress(self, arm, k):
        """Give the model the lengths and masses of arm k of a batch; give back its gears P."""
        model, links, rotors, tip = self.model, self.links, self.rotors, self.tip
        model.opt.gravity[:2] = arm.gravity[k]
        model.body_pos[links[0], :2] = arm.base[k]
        model.body_pos[links[1:], 0] = arm.length[k, :-1]
        model.body_pos[tip, 0] = arm.length[k, -1]
        model.body_ipos[links, 0], model.body_ipos[links, 1] = arm.com[k], arm.com_offset[k]
        model.body_mass[links], model.body_inertia[links] = arm.mass[k], arm.inertia[k][:, None]
        model.body_ipos[tip], model.body_ipos[rotors] = 0.0, 0.0
        model.body_mass[tip], model.body_inertia[tip] = arm.tip_mass[k, -1], 0.0
        n = len(links)
        gears, dofs = np.zeros((model.nv, n)), model.body_dofadr[links]
        gears[dofs, np.arange(n)] = 1.0
        model.dof_damping[dofs] = arm.damping[k]
        model.dof_armature[dofs[0]] = arm.rotor_inertia[k, 0] * arm.gear_ratio[k, 0] ** 2
        if len(rotors):
            gears[model.body_dofadr[rotors], np.arange(1, n)] = arm.gear_ratio[k, 1:]
            model.body_pos[rotors, 0] = arm.length[k, :-1]
            model.body_mass[rotors] = arm.tip_mass[k, :-1]
            model.body_inertia[rotors] = arm.rotor_inertia[k, 1:, None]
        else:
            self._lump(arm, k)
        mujoco.mj_setConst(model, self.data)
        return gears

    def _lump(self, arm, k):
        """Make point masses parts of their links, and rotors geared 1 : 1 too."""
        model, links = self.model, self.links
        rotor = np.append(0.0, arm.rotor_inertia[k, 1:])
        ends = np.append(arm.tip_mass[k, :-1], 0.0)
        mass, length = arm.mass[k], arm.length[k]
        total = mass + ends
        centre = np.stack([mass * arm.com[k] + ends * length, mass * arm.com_offset[k]]) / total
        apart = (arm.com[k] - length) ** 2 + arm.com_offset[k] ** 2
        own = arm.inertia[k] + rotor + mass * ends / total * apart
        model.body_mass[links], model.body_ipos[links, :2] = total, centre.T
        model.body_inertia[links] = own[:, None]


def close(ours, theirs, *terms):
    size = max(np.max(np.abs(part)) for part in (theirs, *terms))
    return np.max(np.abs(ours - theirs)) <= TOLERANCE * size


def mass_matrix(model, data):
    columns = np.zeros((model.nv, model.nv))
    for column, unit in zip(columns, np.eye(model.nv), strict=True):
        mujoco.mj_mulM(model, data, column, unit)
    return columns.T


def tip_pull(theirs, force):
    """Give what a force and a moment at the tip do to the joints."""
    pull, tip = np.zeros(theirs.model.nv), theirs.tip
    arrow, moment = np.array([force[0], force[1], 0.0]), np.array([0.0, 0.0, force[2]])
    place = theirs.data.xpos[tip]
    mujoco.mj_applyFT(theirs.model, theirs.data, arrow, moment, place, tip, pull)
    return pull


def inverse(model, data, turning):
    """Give the torques of accelerations, damping included; forces on bodies are not."""
    data.qacc = turning
    mujoco.mj_inverse(model, data)
    return data.qfrc_inverse


@pytest.mark.parametrize("n", range(1, 51))
def test_matrices_energies_and_torques_agree(random_arm, n):
    random = np.random.default_rng(n)
    arms = random_arm(random, n, (ARMS_EACH,), whole=True)
    q, qd, qdd, tau = random.uniform(-np.pi, np.pi, (4, ARMS_EACH, n))
    force, tau = random.uniform(-20.0, 20.0, (ARMS_EACH, 3)), 10.0 * tau
    mass = dynamics.mass_matrix(arms, q)
    weight, free = dynamics.gravity_torque(arms, q), arms._replace(damping=0.0 * arms.damping)
    bias = dynamics.inverse_dynamics(free, q, qd, 0.0 * qdd)
    kinetic, potential = dynamics.kinetic_energy(arms, q, qd), dynamics.potential_energy(arms, q)
    torque = dynamics.inverse_dynamics(arms, q, qd, qdd, tip_force=force)
    gained = dynamics.forward_dynamics(arms, q, qd, tau, tip_force=force)
    theirs = Chain(n, rotors=True)
    model, data = theirs.model, theirs.data

    for k in range(ARMS_EACH):
        gears = theirs.dress(arms, k)
        # A rotor may stand at any angle: it is round.
        data.qpos, data.qvel = gears @ q[k], gears @ qd[k]
        mujoco.mj_forward(model, data)
        assert close(mass[k], gears.T @ mass_matrix(model, data) @ gears)
        assert close(bias[k], gears.T @ data.qfrc_bias)
        assert close(potential[k], data.energy[0], weight[k])
        assert close(kinetic[k], data.energy[1])
        pull = gears.T @ tip_pull(theirs, force[k])
        expected = gears.T @ inverse(model, data, gears @ qdd[k]) - pull
        assert close(torque[k], expected, pull)
        expected = gears.T @ inverse(model, data, gears @ gained[k]) - pull
        assert close(tau[k], expected, bias[k])
        data.qvel = 0.0
        mujoco.mj_forward(model, data)
        assert close(weight[k], gears.T @ data.qfrc_bias)


@tabular("n", range(1, 51))
def test_accelerations_agree(random_arm, n):
    random = np.random.default_rng(n)
    arms = random_arm(random, n, (ARMS_EACH,), whole=True)
    q, qd, tau = random.uniform(-np.pi, np.pi, (3, ARMS_EACH, n))
    force, tau = random.uniform(-20.0, 20.0, (ARMS_EACH, 3)), 10.0 * tau
    arms.gear_ratio[:, 1:] = 1.0
    gained = dynamics.forward_dynamics(arms, q, qd, tau, tip_force=force)
    theirs = Chain(n, rotors=False)
    model, data = theirs.model, theirs.data

    for k in range(ARMS_EACH):
        theirs.dress(arms, k)
        data.xfrc_applied[theirs.tip, [0, 1, 5]] = force[k]
        data.qpos, data.qvel, data.qfrc_applied = q[k], qd[k], tau[k]
        mujoco.mj_forward(model, data)
        assert close(gained[k], data.qacc)
