"""A batch of runs as labelled arrays, under the names that files and datasets know them by.

The result of simulating many arms at once: what each of them did, and how it ended.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, overload

import numpy as np

from ulna.arm import Parameters
from ulna.errors import size_text
from ulna.kinematics.forward_kinematics import tip
from ulna.progress import card
from ulna.simulation import tables
from ulna.simulation.batch.member import Member, MemberOrigin
from ulna.simulation.batch.statuses import REASONS, Codes, Statuses
from ulna.simulation.batch.stored_arrays import FORMAT, StoredArray
from ulna.simulation.capacity import check_memory
from ulna.simulation.outcome import Floats, Status
from ulna.simulation.run import read_only, versions_here
from ulna.simulation.tables import Quantity, attributes, labelled
from ulna.typing import PathLike
from ulna.zarr_stores import lazy_array

if TYPE_CHECKING:
    import xarray as xr

    from ulna.simulation.batch.batch_call import BatchCall


HISTORY = ("arm", "time", "joint")
HISTORIES = {
    "q": ("rad", "joint angle"),
    "qd": ("rad/s", "joint velocity"),
    "tau": ("N·m", "joint torque from the sample on"),
}
PLANE = ("gravity", "base")  # parameters with an x and a y; all others are of links or joints
PARAMETERS = {
    "length": ("m", "length of the link"),
    "mass": ("kg", "mass of the link"),
    "com": ("m", "centre of mass along the link"),
    "com_offset": ("m", "centre of mass to the left of the link"),
    "inertia": ("kg·m²", "moment of inertia about the centre of mass"),
    "tip_mass": ("kg", "point mass at the end of the link"),
    "damping": ("N·m·s/rad", "viscous damping of the joint"),
    "coulomb": ("N·m", "Coulomb friction of the joint"),
    "static": ("N·m", "static friction of the joint"),
    "stribeck_velocity": ("rad/s", "rate over which static friction falls to Coulomb friction"),
    "drag": ("N·m·s²/rad²", "quadratic drag of the joint"),
    "rotor_inertia": ("kg·m²", "moment of inertia of the rotor"),
    "gear_ratio": ("1", "turns of the rotor for one of the joint"),
    "lower": ("rad", "lower limit of the joint"),
    "upper": ("rad", "upper limit of the joint"),
    "max_velocity": ("rad/s", "largest speed of the joint"),
    "max_torque": ("N·m", "largest torque of the joint"),
    "gravity": ("m/s²", "acceleration of free fall"),
    "base": ("m", "place of the first joint"),
}
# How the CF conventions write down what numbers stand for.
FLAGS = {
    "flag_values": np.arange(len(REASONS), dtype=np.int8),
    "flag_meanings": " ".join(reason.replace(" ", "_") for reason in REASONS),
}


def coordinates(t: Floats, n: int, members: int) -> dict[str, Quantity]:
    """Return what the axes of a batch's arrays count."""
    arm = Quantity(("arm",), np.arange(members), "1", "number of the arm, from 0")
    return {"arm": arm, **tables.coordinates(t, n)}


def parameter_quantities(parameters: Parameters) -> dict[str, Quantity]:
    """Return the numbers of the arms, with an axis for them where they differ."""
    found = {}
    for name, values in parameters._asdict().items():
        axes = ("arm", "axis" if name in PLANE else "joint")
        found[name] = Quantity(axes[2 - values.ndim :], values, *PARAMETERS[name])
    return found


def histories(values: Mapping[str, Any]) -> dict[str, Quantity]:
    """Return the histories that there are."""
    return {
        name: Quantity(HISTORY, values[name], *words)
        for name, words in HISTORIES.items()
        if values.get(name) is not None
    }


def endings(t_end: Floats, codes: Codes) -> dict[str, Quantity]:
    """Return when and how the arms ended."""
    return {
        "t_end": Quantity(("arm",), t_end, "s", "time at which the arm ended"),
        "status": Quantity(("arm",), codes, "1", "how the arm ended", FLAGS),
    }


def dataset(run: BatchRun) -> xr.Dataset:
    """Return a batch as a dataset with named axes and units; what is in a file stays there."""
    import xarray as xr

    parts = {name: getattr(run, name) for name in HISTORIES}
    kept = {
        name: lazy_array(part.shape, part.dtype, part.__getitem__)
        if isinstance(part, StoredArray)
        else part
        for name, part in parts.items()
    }
    found = histories(kept) | endings(run.t_end, run.status.codes)
    found |= parameter_quantities(run.parameters)
    axes = coordinates(run.t, run.n, len(run))
    return xr.Dataset(labelled(found), labelled(axes), attributes(run.provenance))


def summary(run: BatchRun) -> str:
    """Describe a batch in a few lines: what ran, how it ended, and where it is."""
    return "\n".join([_title(run), f"  {run.status}", f"  {_held(run)}"])


def html(run: BatchRun) -> str:
    """Describe a batch for a notebook: a row for every way that arms ended."""
    rows = [
        (ending.reason, f"{ending.number:,}", str(ending.first), _time(ending.t))
        for ending in run.status.endings()
    ]
    return card(_title(run), [_held(run)], ("ended", "arms", "first", "at t [s]"), rows)


def _time(t: float) -> str:
    return f"{t:.4g}" if np.isfinite(t) else "–"


def _title(run: BatchRun) -> str:
    n, samples, method = run.n, len(run.t), run.settings.get("method")
    links = f"{n} link{'s' * (n > 1)}"
    kept = f"{samples:,} sample{'s' * (samples > 1)} to t = {run.t[-1]:g} s"
    arms = f"{len(run):,} arm{'s' * (len(run) != 1)}"
    return f"Batch of {arms}: {links}, {kept}" + (f", method {method}" if method else "")


def _held(run: BatchRun) -> str:
    arrays = [array for array in (run.q, run.qd, run.tau) if array is not None]
    size = sum(array.nbytes for array in arrays)
    place = f"in '{run.q.folder.store.path}'" if isinstance(run.q, StoredArray) else "in memory"
    return f"histories of {size_text(size)} {place}"


# An array, or one that stays in a file and answers to the same keys.
History: TypeAlias = Any

BLOCK = 2**16  # numbers of a history that are worked on together: they stay in the cache


class Final(NamedTuple):
    """The last state of every arm, (B, n) each; NaN of an arm that failed."""

    q: Floats  # [rad]
    qd: Floats  # [rad/s]


@dataclass(frozen=True, eq=False, repr=False)
class BatchRun:
    """What B arms of n joints did, in S samples each; its arrays are read-only.

    With one sample that is the final state. After an arm has failed, its numbers are NaN. The
    torque tau[:, k] acts from t[k] on; it is None unless it was kept. Histories are arrays
    in memory, or stay in a file of which only that is read what a key such as `run.q[3]` or
    `run.q[:, -1]` asks for.

    `run[3]` is one arm, `run[10:20]` and `run[~run.status.ok]` are smaller batches.

    Attributes
    ----------
    parameters : Parameters
        The arms: (n,) each, or (B, n) where they differ.
    t : ndarray, shape (S,)
        Times [s].
    q, qd : array, shape (B, S, n)
        Joint angles [rad] and rates [rad/s].
    tau : array, shape (B, S, n), or None
        Torques [N·m] of the motors, as applied; with `keep_torques`.
    t_end : ndarray, shape (B,)
        When [s] every arm ended.
    status : Statuses
        How every arm ended.
    settings : mapping
        How the batch was made, as JSON has it.
    versions : mapping of str to str
        What it was computed with.
    call : BatchCall or None
        What it takes to make it again; None where that is very much, or its file does not say.
    """

    parameters: Parameters  # (n,) each, or (B, n) where the arms differ
    t: Floats  # (S,) [s]
    q: History  # (B, S, n) [rad]
    qd: History  # (B, S, n) [rad/s]
    tau: History | None  # (B, S, n) [N·m]
    t_end: Floats  # (B,) [s]
    status: Statuses
    settings: Mapping[str, Any]
    versions: Mapping[str, str] = dataclasses.field(default_factory=versions_here)
    call: BatchCall | None = None

    def __post_init__(self) -> None:
        # The parameters of one arm are read-only already.
        own = self.parameters if self.parameters.length.flags.writeable else ()
        for array in (self.t, self.q, self.qd, self.tau, self.t_end, *own):
            if isinstance(array, np.ndarray):
                read_only(array)

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy is made anew: copied arrays would be writeable. Its call is what a file holds of
        # it: plans and what else is in there need not be such as can be copied.
        from ulna.simulation.batch.batch_call import read_call

        *parts, call = (getattr(self, field.name) for field in dataclasses.fields(self))
        return BatchRun, (*parts, read_call(None if call is None else call.stored))

    def __len__(self) -> int:
        return len(self.status)

    def __iter__(self) -> Iterator[Member]:
        return (self[k] for k in range(len(self)))

    def __repr__(self) -> str:
        return summary(self)

    def _repr_html_(self) -> str:
        return html(self)

    @property
    def n(self) -> int:
        """The number of links."""
        return self.parameters.n

    @overload
    def __getitem__(self, key: int | np.integer[Any]) -> Member: ...

    @overload
    def __getitem__(self, key: Any) -> BatchRun: ...

    def __getitem__(self, key: Any) -> Member | BatchRun:
        status = self.status[key]
        if isinstance(status, Status):
            tau = None if self.tau is None else self.tau[key]
            end = float(self.t_end[key])
            arm = None if self.call is None else self.call.arm(key)
            return Member(
                self.t, self.q[key], self.qd[key], tau, end, status,
                parameters=_some_parameters(self.parameters, key),
                origin=MemberOrigin(arm, self.settings, self.versions),
            )  # fmt: skip
        return dataclasses.replace(
            self,
            parameters=_some_parameters(self.parameters, key),
            **{name: _some(getattr(self, name), key) for name in ("q", "qd", "tau")},
            t_end=status.t_end,
            status=status,
            call=None if self.call is None else self.call.chosen(key, len(self)),
        )

    @cached_property
    def final(self) -> Final:
        """The last state of every arm."""
        return Final(read_only(self.q[:, -1]), read_only(self.qd[:, -1]))

    @cached_property
    def tip(self) -> Floats:
        """Position and orientation of the tips, (B, S, 3): x, y [m] and angle [rad], unwrapped.

        Raises InputError where that is more than the memory holds.
        """
        members, samples = len(self), len(self.t)
        counted = f"{members:,} arms × {samples:,} samples"
        check_memory("tip", counted, 24.0 * members * samples, "take fewer, such as run[:1000].tip")
        found = np.empty((members, samples, 3))
        size = max(1, BLOCK // (samples * self.n))
        with np.errstate(all="ignore"):
            for start in range(0, members, size):
                some = slice(start, start + size)
                arms = _some_parameters(self.parameters, some).per_sample()
                found[some] = tip(arms, self.q[some])
        return read_only(found)

    @property
    def provenance(self) -> dict[str, Any]:
        """How the batch was computed, as plain data; the arms themselves are `parameters`."""
        return provenance_of(self.settings, self.versions)

    @cached_property
    def dataset(self) -> xr.Dataset:
        """The batch as an xarray Dataset over arm, time, joint and axis, with units.

        Histories that are in a file stay there until they are asked for.
        """
        return dataset(self)

    def save(self, file: PathLike, *, overwrite: bool = True) -> None:
        """Write the batch to a Zarr folder, which appears whole or not at all.

        Parameters
        ----------
        file : str or path
            Its name, which ends in .zarr; `ulna.open_batch` reads it back.
        overwrite : bool
            Whether a file that exists is replaced.

        Raises
        ------
        InputError
            A name with another ending, or of a file that is not to be replaced.
        FileError
            The file cannot be written.
        """
        from ulna.simulation.batch.batch_files import save_batch

        save_batch(self, file, overwrite=overwrite)


def provenance_of(settings: Mapping[str, Any], versions: Mapping[str, str]) -> dict[str, Any]:
    """Return how a batch is computed, as plain data."""
    return {"format": FORMAT, "settings": dict(settings), "versions": dict(versions)}


def _some(values: Any, key: Any) -> Any:
    if values is None:
        return None
    return values.chosen(key) if isinstance(values, StoredArray) else read_only(values[key])


def _some_parameters(parameters: Parameters, key: Any) -> Parameters:
    return Parameters(*(value[key] if value.ndim > 1 else value for value in parameters))
