"""A member of a batch: what one of its arms did, also as a run for all that takes one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ulna.arm import Arm, Friction, Joint, Link, Parameters
from ulna.arm.robot_files import parse
from ulna.kinematics.forward_kinematics import tip
from ulna.simulation.made_with import batch_scenario
from ulna.simulation.outcome import Floats, Status
from ulna.simulation.run import Run, read_only
from ulna.typing import PathLike


class MemberOrigin(NamedTuple):
    """How the batch of a member was made."""

    arm: Any  # an Arm, a robot file of it as a batch's file holds it, or None: not known
    settings: Mapping[str, Any]
    versions: Mapping[str, str]


@dataclass(frozen=True, eq=False)
class Member:
    """What one arm of a batch did: `q`, `qd` and, where it was kept, `tau` are (S, n).

    It unpacks as `t, q, qd, tau, t_end, status`; its arm is in `parameters`, (n,) each. `run` is
    the same as a `Run`, which figures, films and reports take in place of it.
    """

    t: Floats  # (S,) [s]
    q: Floats  # [rad]
    qd: Floats  # [rad/s]
    tau: Floats | None  # [N·m]
    t_end: float  # [s]
    status: Status
    parameters: Parameters
    origin: MemberOrigin

    def __iter__(self) -> Iterator[Any]:
        return iter((self.t, self.q, self.qd, self.tau, self.t_end, self.status))

    @cached_property
    def tip(self) -> Floats:
        """Position and orientation of the tip, (S, 3): x, y [m] and angle [rad], unwrapped."""
        with np.errstate(all="ignore"):
            return read_only(tip(self.parameters, self.q))

    @cached_property
    def run(self) -> Run:
        """The member as a run, up to its last state.

        NaN is what a batch does not keep: accelerations, work, forces on the tip, and torques
        without `keep_torques`.
        """
        known = np.flatnonzero(np.isfinite(self.q).all(axis=-1))
        rows = slice(0, int(known.max(initial=0)) + 1)
        q = self.q[rows]
        unknown = np.full((len(q), max(q.shape[1], 3)), np.nan)
        arm = _arm(self.parameters, self.origin.arm)
        return Run(
            arm=arm,
            t=self.t[rows],
            q=q,
            qd=self.qd[rows],
            qdd=unknown[:, : q.shape[1]],
            tau=unknown[:, : q.shape[1]] if self.tau is None else self.tau[rows],
            tip_force=unknown[:, :3],
            injected=unknown[:, 0],
            dissipated=unknown[:, 0],
            status=self.status,
            scenario=batch_scenario(self.origin.settings, arm),
            versions=self.origin.versions,
        )

    def save(self, file: PathLike, *, overwrite: bool = True) -> None:
        """Write the member to a file, as `Run.save` writes its `run`.

        Parameters
        ----------
        file : str or path
            Its name: .nc, .csv or .parquet.
        overwrite : bool
            Whether a file that exists is replaced.
        """
        self.run.save(file, overwrite=overwrite)


def _arm(p: Parameters, given: Any) -> Arm:
    """Return the arm that was given, or else one of these parameters."""
    if isinstance(given, Arm):
        return given
    if given is not None:
        return parse(given["robot"])[0]
    rows = {name: values.tolist() for name, values in p._asdict().items()}

    def made(kind: Any, i: int, **others: Any) -> Any:
        names = [field.name for field in fields(kind) if field.name in rows]
        return kind(**{name: rows[name][i] for name in names}, **others)

    links = [made(Link, i) for i in range(p.n)]
    joints = [made(Joint, i, friction=made(Friction, i)) for i in range(p.n)]
    return Arm.of(links, joints, gravity=rows["gravity"], base=rows["base"])
