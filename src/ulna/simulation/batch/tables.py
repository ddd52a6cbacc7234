"""A batch of runs as labelled arrays, under the names that files and datasets know them by."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ulna.arm import Parameters
from ulna.notebooks import card
from ulna.simulation.batch.arrays import StoredArray
from ulna.simulation.batch.status import REASONS, Codes
from ulna.simulation.status import Floats
from ulna.simulation.tables import Quantity, labelled
from ulna.storage import size_text

if TYPE_CHECKING:
    import xarray as xr

    from ulna.simulation.batch.run import BatchRun

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
    arm, joint = np.arange(members), np.arange(1, n + 1)
    return {
        "arm": Quantity(("arm",), arm, "1", "number of the arm, from 0"),
        "time": Quantity(("time",), t, "s", "time"),
        "joint": Quantity(("joint",), joint, "1", "number of the joint, from the base"),
        "axis": Quantity(("axis",), np.array(["x", "y"]), "1", "axis of the plane"),
    }


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


def attributes(provenance: Mapping[str, Any]) -> dict[str, str]:
    """Return the provenance of a batch as text: the format as it is, all else as JSON."""
    return {
        key: value if key == "format" else json.dumps(value) for key, value in provenance.items()
    }


def dataset(run: BatchRun) -> xr.Dataset:
    """Return a batch as a dataset with named axes and units; what is in a file stays there."""
    import xarray as xr

    kept = {name: _lazy(getattr(run, name)) for name in HISTORIES}
    found = histories(kept) | endings(run.t_end, run.status.codes)
    found |= parameter_quantities(run.parameters)
    axes = coordinates(run.t, run.n, len(run))
    return xr.Dataset(labelled(found), labelled(axes), attributes(run.provenance))


def _lazy(values: Any) -> Any:
    if not isinstance(values, StoredArray):
        return values
    from xarray.backends import BackendArray
    from xarray.core import indexing

    class Backend(BackendArray):
        shape, dtype = values.shape, values.dtype

        def __getitem__(self, key: Any) -> Any:
            support = indexing.IndexingSupport.OUTER_1VECTOR
            return indexing.explicit_indexing_adapter(key, self.shape, support, values.__getitem__)

    return indexing.LazilyIndexedArray(Backend())


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
    place = f"in '{run.q.source.path}'" if isinstance(run.q, StoredArray) else "in memory"
    return f"histories of {size_text(size)} {place}"
