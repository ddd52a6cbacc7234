"""A run as tables, a column a quantity and a row a sample, and as a few lines to print."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ulna.columns import write_columns
from ulna.progress import card
from ulna.simulation.outcome import Floats
from ulna.simulation.run import Run

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

MOST_SHOWN = 6  # joints in a printed line


class Quantity(NamedTuple):
    """An array with the names of its axes, and what it says."""

    axes: tuple[str, ...]
    values: Any
    units: str
    long_name: str
    more: Mapping[str, Any] = MappingProxyType({})

    @property
    def attributes(self) -> dict[str, Any]:
        """What a labelled array says of itself."""
        return {"units": self.units, "long_name": self.long_name, **self.more}


class Column(NamedTuple):
    """One column of a table."""

    values: Floats
    units: str


def coordinates(t: Floats, n: int) -> dict[str, Quantity]:
    """Return what the axes of arrays count, of times [s] and of n joints."""
    joint = np.arange(1, n + 1)
    return {
        "time": Quantity(("time",), t, "s", "time"),
        "joint": Quantity(("joint",), joint, "1", "number of the joint, from the base"),
        "axis": Quantity(("axis",), np.array(["x", "y"]), "1", "axis of the plane"),
    }


def quantities(run: Run) -> dict[str, Quantity]:
    """Return every array of a run, under the name that files and datasets know it by."""
    joints, plane, time = ("time", "joint"), ("time", "axis"), ("time",)
    energy = run.energy
    force = "force on the tip"
    found = {
        "q": Quantity(joints, run.q, "rad", "joint angle"),
        "qd": Quantity(joints, run.qd, "rad/s", "joint velocity"),
        "qdd": Quantity(joints, run.qdd, "rad/s²", "joint acceleration"),
        "tau": Quantity(joints, run.tau, "N·m", "applied motor torque until the next sample"),
        "tip": Quantity(plane, run.tip[:, :2], "m", "position of the tip"),
        "tip_angle": Quantity(time, run.tip[:, 2], "rad", "orientation of the tip"),
        "tip_force": Quantity(plane, run.tip_force[:, :2], "N", force),
        "tip_moment": Quantity(time, run.tip_force[:, 2], "N·m", "moment on the tip"),
        "kinetic": Quantity(time, energy.kinetic, "J", "kinetic energy"),
        "potential": Quantity(time, energy.potential, "J", "potential energy"),
        "dissipated": Quantity(time, energy.dissipated, "J", "energy lost since the start"),
        "injected": Quantity(time, energy.injected, "J", "energy put in since the start"),
        "balance_error": Quantity(time, energy.balance_error, "J", "error of the energy balance"),
    }
    return found | _signals(run)


# Of what a run may have besides: the unit, and what it is.
SIGNALS = {
    "tau_commanded": ("N·m", "commanded motor torque, before limits"),
    "tau_disturbance": ("N·m", "torque of disturbances"),
    "q_measured": ("rad", "measured joint angle"),
    "qd_measured": ("rad/s", "measured joint velocity"),
    "q_ref": ("rad", "reference joint angle"),
    "qd_ref": ("rad/s", "reference joint velocity"),
    "qdd_ref": ("rad/s²", "reference joint acceleration"),
}
MOTOR_SIGNALS = {
    "current": ("A", "current of the motor's winding"),
    "voltage": ("V", "voltage of the motor's driver"),
    "temperature": ("°C", "temperature of the motor's winding"),
    "rotor_angle": ("rad", "angle of the rotor, at the joint"),
    "rotor_rate": ("rad/s", "velocity of the rotor, at the joint"),
}
# The columns of `Run.energy_flows`, one a variable of files.
FLOWS = {
    "energy_supplied": "energy from the supply since the start",
    "energy_returned": "energy back to the supply since the start",
    "energy_winding": "heat of windings since the start",
    "energy_conversion": "energy lost between windings and rotors since the start",
    "energy_gear": "heat of gears under load since the start",
    "energy_teeth": "energy lost where teeth with backlash meet since the start",
}
TIP_DISTURBANCE, TIP_DISTURBANCE_MOMENT = "tip_force_disturbance", "tip_moment_disturbance"


def _signals(run: Run) -> dict[str, Quantity]:
    found = {}
    for name, (units, what) in SIGNALS.items():
        if getattr(run, name) is not None:
            found[name] = Quantity(("time", "joint"), getattr(run, name), units, what)
    found |= _motor_signals(run)
    disturbing = run.tip_force_disturbance
    if disturbing is not None:
        what = "of disturbances on the tip"
        found[TIP_DISTURBANCE] = Quantity(("time", "axis"), disturbing[:, :2], "N", f"force {what}")
        found[TIP_DISTURBANCE_MOMENT] = Quantity(
            ("time",), disturbing[:, 2], "N·m", f"moment {what}"
        )
    return found


def _motor_signals(run: Run) -> dict[str, Quantity]:
    found = {}
    for name, (units, what) in MOTOR_SIGNALS.items():
        if getattr(run, name) is not None:
            found[name] = Quantity(("time", "joint"), getattr(run, name), units, what)
    if run.supply_power is not None:
        what = "power that DC motors draw from the supply"
        found["supply_power"] = Quantity(("time",), run.supply_power, "W", what)
    if run.energy_flows is not None:
        for (name, what), values in zip(FLOWS.items(), run.energy_flows.T, strict=True):
            found[name] = Quantity(("time",), values, "J", what)
    return found


def attributes(provenance: Mapping[str, Any]) -> dict[str, str]:
    """Return how a run or a batch was computed as text: texts as they are, all else as JSON."""
    plain = provenance.items()
    return {key: value if isinstance(value, str) else json.dumps(value) for key, value in plain}


def dataset(run: Run) -> xr.Dataset:
    """Return a run as a dataset with named axes and units."""
    import xarray as xr

    axes = coordinates(run.t, run.arm.n)
    return xr.Dataset(labelled(quantities(run)), labelled(axes), attributes(run.provenance))


def labelled(parts: Mapping[str, Quantity]) -> dict[str, Any]:
    """Return quantities as xarray takes them."""
    return {name: (part.axes, part.values, part.attributes) for name, part in parts.items()}


def columns(run: Run) -> dict[str, Column]:
    """Return a run as columns, time first.

    Disturbances and forces on the tip are among them only where there are any, and what a
    controller commanded only where there is one: it is what was applied, otherwise. What is the
    motors' is there of arms that have some, and their rotors where gears have backlash.
    """
    found, joints = quantities(run), range(1, run.arm.n + 1)
    table = {"t": Column(run.t, "s")}
    for name in ("q", "qd", "qdd", "tau"):
        table |= _split(found[name], *(f"{name}{i}" for i in joints))
    table |= _split(found["tip"], "x", "y") | _split(found["tip_angle"], "angle")
    for name in run.energy._fields:
        table |= _split(found[name], name)
    if np.any(run.tip_force):
        table |= _split(found["tip_force"], "fx", "fy") | _split(found["tip_moment"], "moment")
    for name in SIGNALS:
        kept = np.any(run.tau_disturbance) if name == "tau_disturbance" else run.q_ref is not None
        if name in found and kept:
            table |= _split(found[name], *(f"{name}{i}" for i in joints))
    table |= _motor_columns(run, found)
    if TIP_DISTURBANCE in found and np.any(run.tip_force_disturbance):
        table |= _split(found[TIP_DISTURBANCE], "fx_disturbance", "fy_disturbance")
        table |= _split(found[TIP_DISTURBANCE_MOMENT], "moment_disturbance")
    return table


def _motor_columns(run: Run, found: Mapping[str, Quantity]) -> dict[str, Column]:
    table: dict[str, Column] = {}
    for name in (*MOTOR_SIGNALS, "supply_power", *FLOWS):
        if name in found and (not name.startswith("rotor") or _has_backlash(run)):
            per_joint = [f"{name}{i}" for i in range(1, run.arm.n + 1)]
            table |= _split(found[name], *(per_joint if name in MOTOR_SIGNALS else [name]))
    return table


def _has_backlash(run: Run) -> bool:
    return any(getattr(joint.motor, "backlash", None) is not None for joint in run.arm.joints)


def _split(quantity: Quantity, *names: str) -> dict[str, Column]:
    """Return the columns of a quantity under names of their own."""
    values = quantity.values.reshape(-1, len(names))
    return {name: Column(values[:, k], quantity.units) for k, name in enumerate(names)}


def dataframe(run: Run) -> pd.DataFrame:
    """Return a run as a data frame, indexed by time."""
    import pandas as pd

    table = {name: column.values for name, column in columns(run).items()}
    return pd.DataFrame(table).set_index("t")


def write_csv(run: Run, file: Path) -> None:
    """Write the columns of a run as text that reads back to the same numbers."""
    write_columns(
        file, {f"{name} [{column.units}]": column.values for name, column in columns(run).items()}
    )


def write_parquet(run: Run, file: Path) -> None:
    """Write the columns of a run as Parquet, each with its unit in the metadata of its field."""
    import pyarrow
    import pyarrow.parquet

    table = columns(run)
    fields = [
        pyarrow.field(name, pyarrow.float64(), metadata={"units": column.units})
        for name, column in table.items()
    ]
    arrays = [pyarrow.array(column.values) for column in table.values()]
    made = pyarrow.table(arrays, schema=pyarrow.schema(fields))
    pyarrow.parquet.write_table(made, file)


def summary(run: Run) -> str:
    """Describe a run in a few lines: what ran, how it ended, and where."""
    final = run.final
    return "\n".join(
        [
            _title(run),
            f"  {run.status}",
            f"  at t = {final.t:g} s: q = {_short(final.q)} rad, qd = {_short(final.qd)} rad/s",
            f"  {_balance(run)}",
        ]
    )


def html(run: Run) -> str:
    """Describe a run for a notebook: how it ended, and a row for every joint."""
    final = run.final
    with np.errstate(all="ignore"):
        peaks = np.max(np.abs(run.tau), axis=0)
    values = np.column_stack([np.degrees(run.q[0]), np.degrees(final.q), final.qd, peaks])
    rows = [(str(i), *(f"{value:.4g}" for value in row)) for i, row in enumerate(values, 1)]
    columns = ("joint", "start [deg]", "end [deg]", "speed [rad/s]", "peak torque [N·m]")
    return card(_title(run), [str(run.status), _balance(run)], columns, rows)


def _title(run: Run) -> str:
    n, samples, method = run.arm.n, len(run), run.scenario.method
    with np.errstate(all="ignore"):
        duration = run.final.t - run.t[0]
    counts = f"{n} link{'s' * (n > 1)}, {duration:g} s, {samples} sample{'s' * (samples > 1)}"
    return f"Run of {run.arm.name!a}: {counts}" + (f", method {method}" if method else "")


def _balance(run: Run) -> str:
    with np.errstate(all="ignore"):
        error = np.max(np.abs(run.energy.balance_error))
    return f"largest error of the energy balance: {error:.2g} J"


def _short(values: Floats) -> str:
    shown = [f"{value:.4g}" for value in values[:MOST_SHOWN]]
    return "[" + ", ".join(shown) + ", ..." * (len(values) > MOST_SHOWN) + "]"
