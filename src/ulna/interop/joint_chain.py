"""The joints from the base to the tip of an arm in a compiled robot, and what else is in it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ulna.errors import Problems, listed, nearest_name, warn
from ulna.interop.compiled_robot import CompiledRobot

PLANAR_PART = "name the planar part: base_link and tip_link, or joints to hold"
POSES = 3  # of an arm, in which a coupling that does not act on it has one length
SLACK = 1e-9  # of such lengths
KINDS = ("free", "ball", "prismatic", "revolute")  # by MuJoCo's number of a type
PRISMATIC, REVOLUTE = 2, 3
WORLD = 0


@dataclass(frozen=True, eq=False)
class JointChain:
    """The hinges of an arm, and which of them moves each body.

    Parameters
    ----------
    hinges : tuple of int
        The joints from base to tip, by their numbers in the model.
    mover : ndarray of int, shape (bodies,)
        The place in `hinges` of the last one before each body; −1 for bodies at rest.
    held : tuple of int
        All other joints.
    tip_body, tip_site : int
        The body of the tip, and its site; −1 where the tip is the frame of the body.
    """

    hinges: tuple[int, ...]
    mover: NDArray[np.int64]
    held: tuple[int, ...]
    tip_body: int
    tip_site: int


class ChainSearch:
    """Find the joints of an arm by the names of its base and its tip, and note what is wrong."""

    def __init__(self, robot: CompiledRobot, hold: Iterable[str], problems: Problems) -> None:
        model = self.model = robot.model
        self.mimics, self.problems = robot.mimics, problems
        self.bodies, self.joints = robot.bodies, robot.joints
        self.sites = [model.site(i).name for i in range(model.nsite)]
        self.hold = frozenset(hold)
        for name in sorted(self.hold.difference(self.joints)):
            hint = nearest_name(name, self.joints)
            problems.add("hold", repr(name), "a joint of the file that moves", hint)

    def find(self, base_link: str | None, tip_link: str | None) -> JointChain:
        """Return the chain from base to tip; raise InputError if there is no planar one."""
        base = WORLD if base_link is None else self._body("base_link", base_link)
        body, site = self._only_tip(base) if tip_link is None else self._tip(tip_link)
        line = self._line(body)
        path = line[line.index(base) + 1 :] if base in line else []
        moving = [joint for one in path for joint in self._moving(one)]
        if not moving:
            got = f"no joint that turns between {self.bodies[base]!r} and {self.bodies[body]!r}"
            self.problems.add("tip_link", got, "a tip beyond the base, with joints between them")
        self._check_hinges(moving)
        held = tuple(joint for joint in range(len(self.joints)) if joint not in moving)
        self._check_couplings(moving)
        return JointChain(tuple(moving), self._movers(moving), held, body, site)

    def _body(self, what: str, name: str) -> int:
        """Return the number of a body."""
        if name not in self.bodies:
            hint = nearest_name(name, self.bodies)
            self.problems.add(what, repr(name), "a link of the file", hint)
            self.problems.raise_if_any()
        return self.bodies.index(name)

    def _tip(self, tip_link: str) -> tuple[int, int]:
        """Return the body and the site of a tip, −1 where the tip is the frame of a body."""
        site = tip_link.removesuffix(" (site)")
        if site in self.sites and (site != tip_link or tip_link not in self.bodies):
            place = self.sites.index(site)
            return int(self.model.site_bodyid[place]), place
        return self._body("tip_link", tip_link), -1

    def _line(self, body: int) -> list[int]:
        """Return the bodies from the world to one of them, both included."""
        line = [body]
        while line[-1] != WORLD:
            line.append(int(self.model.body_parentid[line[-1]]))
        return line[::-1]

    def _moving(self, body: int) -> list[int]:
        """Return the joints of a body that are not held."""
        first = int(self.model.body_jntadr[body])
        joints = range(first, first + int(self.model.body_jntnum[body]))
        return [joint for joint in joints if self.joints[joint] not in self.hold]

    def _only_tip(self, base: int) -> tuple[int, int]:
        """Return the end of the only chain there is; raise for what makes that impossible."""
        lines = [self._line(body) for body in range(len(self.bodies))]
        moving = [line[-1] for line in lines if base in line[:-1] and self._moving(line[-1])]
        if not moving:
            self.problems.add("robot", "no joint that turns", "at least one revolute joint")
        self._check_hinges([joint for body in moving for joint in self._moving(body)])
        before = {body for one in moving for body in lines[one][:-1]}
        last = [body for body in moving if body not in before]
        for body in last[1:]:
            joint, got = self._moving(body)[0], f"a branch, beside link {self.bodies[last[0]]!r}"
            self.problems.add(
                f"joint.{self.joints[joint]}", got, "one chain of joints", PLANAR_PART
            )
        # All that is fixed to the last moving body: its ends are frames without a body beyond
        # them, and sites.
        fixed = [line[-1] for line in lines if last[0] in line]
        places = enumerate(self.model.site_bodyid.tolist())
        sites = [(body, site) for site, body in places if body in fixed and self.sites[site]]
        above = {*self.model.body_parentid[fixed], *(body for body, _ in sites)}
        ends: list[tuple[int, int]] = [(body, -1) for body in fixed if body not in above]
        ends += sites
        if len(ends) > 1 and len(last) == 1:
            names = [self.sites[site] if site >= 0 else self.bodies[body] for body, site in ends]
            got = f"several ends of the last link: {listed(names)}"
            self.problems.add("tip", got, "one of them as tip_link")
        self.problems.raise_if_any()
        return ends[0]

    def _check_hinges(self, joints: Iterable[int]) -> None:
        """Raise for joints that are not hinges, or follow other joints."""
        for joint in joints:
            name, kind = self.joints[joint], int(self.model.jnt_type[joint])
            got = f"a {KINDS[kind]} joint" if kind != REVOLUTE else ""
            if name in self.mimics:
                got = f"a joint that mimics {self.mimics[name]!r}"
            if got:
                self.problems.add(f"joint.{name}", got, "a revolute joint", PLANAR_PART)
        self.problems.raise_if_any()

    def _movers(self, hinges: list[int]) -> NDArray[np.int64]:
        """Return the place of the last hinge before each body, −1 before the first."""
        own = {int(self.model.jnt_bodyid[joint]): place for place, joint in enumerate(hinges)}
        mover = np.full(len(self.bodies), -1)
        for body in range(1, len(self.bodies)):
            mover[body] = own.get(body, mover[self.model.body_parentid[body]])
        return mover

    def _check_couplings(self, hinges: list[int]) -> None:
        """Note equalities and tendons that tie joints of the arm; warn of any others."""
        spared = list[str]()
        for name, lengths in self._couplings(hinges).items():
            if np.ptp(lengths) > SLACK * (1.0 + np.max(lengths)):
                got = f"an equality or tendon that acts on joints of the arm: {name}"
                self.problems.add("robot", got, "joints that turn independently")
            else:
                spared.append(name)
        if spared:
            warn(f"ignored, as they tie no joints of the arm: {listed(spared)}")

    def _couplings(self, hinges: list[int]) -> dict[str, list[float]]:
        """Return lengths of tendons and violations of equalities in a few poses of the arm."""
        import mujoco

        model, data, random = self.model, mujoco.MjData(self.model), np.random.default_rng(0)
        found = defaultdict[str, list[float]](list)
        for _ in range(POSES):
            data.qpos[model.jnt_qposadr[hinges]] = random.uniform(-1.0, 1.0, len(hinges))
            for step in (mujoco.mj_kinematics, mujoco.mj_comPos, mujoco.mj_tendon):
                step(model, data)
            mujoco.mj_makeConstraint(model, data)
            ties = data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY
            for i in np.unique(data.efc_id[ties]):
                violation = np.linalg.norm(data.efc_pos[ties & (data.efc_id == i)])
                found[model.eq(i).name or f"equality number {i + 1}"].append(float(violation))
            for i in range(model.ntendon):
                found[model.tendon(i).name or f"tendon {i}"].append(float(data.ten_length[i]))
        return found


def describe_held(robot: CompiledRobot, chain: JointChain) -> None:
    """Warn of the joints that are held at zero, and of limits that leave zero out."""
    texts, model = [], robot.model
    for joint in chain.held:
        name, (lower, upper) = robot.joints[joint], model.jnt_range[joint]
        if model.jnt_limited[joint] and not lower <= 0.0 <= upper:
            unit = "rad" if model.jnt_type[joint] == REVOLUTE else "m"
            name += f" (though its limits are {lower:.4g} to {upper:.4g} {unit})"
        texts.append(name)
    if texts:
        warn(f"held at zero, as no part of the arm: {', '.join(texts)}")
