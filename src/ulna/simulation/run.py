"""The result of a simulation: what the arm did, how it ended, and all it takes to repeat it.

Nobody can change a run: its arrays are read-only, and so is its scenario.
"""

from __future__ import annotations

import dataclasses
import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ulna._version import __version__
from ulna.actuation.friction import depends_on_direction
from ulna.arm import Arm
from ulna.arrays import runs
from ulna.dynamics.chain import kinetic_energy, potential_energy
from ulna.dynamics.equations_of_motion import inverse_dynamics
from ulna.kinematics.differential_kinematics import tip_velocity
from ulna.kinematics.forward_kinematics import tip
from ulna.scenario.codec import portable, stored
from ulna.scenario.scenario import Scenario
from ulna.simulation.motor_use import (
    EnergyFlow,
    MotorUse,
    known_windings,
    magnetic_energy,
    reaction_torque,
    rotor_energy,
    supplied_power,
)
from ulna.simulation.outcome import Contact, Event, Floats, Saturation, Status, Sticking
from ulna.typing import PathLike

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from ulna.simulation.batch.member import Member


FORMAT = "run 3"
_ARRAYS = ("t", "q", "qd", "qdd", "tau", "tip_force", "injected", "dissipated")
AT_STOP = 1e-9  # [rad] from a limit
MOST_AT_ONCE = 1_000_000  # numbers in the mass matrices of the samples that are worked on together


class State(NamedTuple):
    """The state of an arm at a time: angles and rates (n,) of its joints."""

    t: float  # [s]
    q: Floats  # [rad]
    qd: Floats  # [rad/s]


class Energies(NamedTuple):
    """The energies of a run.

    Attributes
    ----------
    kinetic, potential : ndarray, shape (S,)
        Kinetic and potential energy [J].
    dissipated, injected : ndarray, shape (S,)
        What damping and stops took, and what torques and forces put in [J], since the start.
    balance_error : ndarray, shape (S,)
        What no torque and no loss accounts for [J]: the change of kinetic and potential energy,
        less what was injected, plus what was dissipated, all since the first sample.
    """

    kinetic: Floats
    potential: Floats
    dissipated: Floats
    injected: Floats
    balance_error: Floats


@cache
def versions_here() -> Mapping[str, str]:
    """Return the versions that this process computes with."""
    from importlib.metadata import version

    # Asked of its metadata: loading it takes longer than many a run.
    numba = version("numba")
    python = platform.python_version()
    return {"ulna": __version__, "python": python, "numpy": np.__version__, "numba": numba}


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """What an arm of n joints did, in S samples; its arrays are read-only.

    What was measured and what was to be followed is that of the controller's last tick. None
    stands for what was not there or not kept: of a run without a controller; without `signals`;
    of a file from before there was any, whose tau holds disturbances as well.

    Attributes
    ----------
    arm : Arm
        The arm.
    t : ndarray, shape (S,)
        Times [s].
    q, qd, qdd : ndarray, shape (S, n)
        Joint angles [rad], rates [rad/s] and accelerations [rad/s²].
    tau : ndarray, shape (S, n)
        Torques [N·m] of the motors at the joints, before losses of their gears, as `Plan.tau`:
        those of the controller within its limits and what was given as `torque`. tau[k] acts from
        t[k] until t[k+1]. With tau_disturbance it is all that turns the joints.
    tip_force : ndarray, shape (S, 3)
        Force x, y [N] and moment [N·m] on the tip, as given; it acts on the arm.
    injected, dissipated : ndarray, shape (S,)
        Energy [J] since the start, the work of disturbances included.
    status : Status
        How the run ended.
    scenario : Scenario
        What was simulated, with everything filled in that was left open: it gives the same again.
    events : tuple of Event
        Conditions that were met.
    contacts : tuple of Contact
        Joints at their limits.
    versions : mapping of str to str
        What it was computed with.
    tau_commanded : ndarray, shape (S, n), or None
        Torques [N·m] that the controller commanded, before limits.
    tau_disturbance : ndarray, shape (S, n), or None
        Torques [N·m] of disturbances.
    tip_force_disturbance : ndarray, shape (S, 3), or None
        Forces and moments of disturbances, as tip_force.
    q_measured, qd_measured : ndarray, shape (S, n), or None
        Angles [rad] and rates [rad/s] as the controller measured them.
    q_ref, qd_ref, qdd_ref : ndarray, shape (S, n), or None
        Angles [rad], rates [rad/s] and accelerations [rad/s²] that it was to follow.
    saturation : tuple of Saturation
        Joints that were at their torque limits.
    sticking : tuple of Sticking
        Joints that were held by static friction.
    current, voltage, temperature : ndarray, shape (S, n), or None
        Of the windings of DC motors [A], [V], [°C]; NaN of other motors, and of heat that is not
        modelled. None of an
        arm without motors.
    rotor_angle, rotor_rate : ndarray, shape (S, n), or None
        Of rotors, as angles [rad] and rates [rad/s] of the joints: those of gears with backlash
        move by themselves.
    energy_flows : ndarray, shape (S, 6), or None
        The first six of `energy_flow` [J].
    motors : tuple of MotorUse
        What motors did: how long they were at their limits, when they stalled or overheated.
    error : Exception or None
        What ended the run in Python; neither copied nor saved.
    """

    arm: Arm
    t: Floats  # (S,) [s]
    q: Floats  # (S, n) [rad]
    qd: Floats  # (S, n) [rad/s]
    qdd: Floats  # (S, n) [rad/s²]
    tau: Floats  # (S, n) [N·m] of the motors, as applied
    tip_force: Floats  # (S, 3): fx, fy [N] and moment [N·m], as given
    injected: Floats  # (S,) [J]
    dissipated: Floats  # (S,) [J]
    status: Status
    scenario: Scenario = None  # type: ignore[assignment]  # unless given, the arm alone
    events: tuple[Event, ...] = ()
    contacts: tuple[Contact, ...] = ()
    versions: Mapping[str, str] = dataclasses.field(default_factory=versions_here)
    tau_commanded: Floats | None = None  # (S, n) [N·m] before limits
    tau_disturbance: Floats | None = None  # (S, n) [N·m]
    tip_force_disturbance: Floats | None = None  # (S, 3) as tip_force
    q_measured: Floats | None = None  # (S, n) [rad]
    qd_measured: Floats | None = None  # (S, n) [rad/s]
    q_ref: Floats | None = None  # (S, n) [rad]
    qd_ref: Floats | None = None  # (S, n) [rad/s]
    qdd_ref: Floats | None = None  # (S, n) [rad/s²]
    saturation: tuple[Saturation, ...] = ()  # joints that were at their torque limits
    sticking: tuple[Sticking, ...] = ()  # joints that were held by static friction
    current: Floats | None = None  # (S, n) [A]
    voltage: Floats | None = None  # (S, n) [V]
    temperature: Floats | None = None  # (S, n) [°C]
    rotor_angle: Floats | None = None  # (S, n) [rad] of the joint
    rotor_rate: Floats | None = None  # (S, n) [rad/s] of the joint
    energy_flows: Floats | None = None  # (S, 6) [J], see `energy_flow`
    motors: tuple[MotorUse, ...] = ()  # what motors did
    error: Exception | None = None  # what ended the run in Python; neither copied nor saved

    def __post_init__(self) -> None:
        own = vars(self)  # It is frozen for everybody else.
        if self.scenario is None:
            own["scenario"] = Scenario.unchecked(arm=self.arm)
        own |= known_windings(self.arm, self.current, self.voltage, self.temperature)
        for name in (*_ARRAYS, *signal_shapes(len(self.t), self.arm.n)):
            if own[name] is not None:
                own[name] = read_only(np.asarray(own[name], dtype=np.float64).view())
        own["versions"] = dict(self.versions)
        for event in self.events:
            read_only(event.q)
            read_only(event.qd)

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy is made anew: copied arrays would be writeable.
        values = {one.name: getattr(self, one.name) for one in dataclasses.fields(self)}
        values |= {"scenario": portable(self.scenario), "error": None}
        return Run, tuple(values.values())

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        from ulna.simulation.tables import summary

        return summary(self)

    def _repr_html_(self) -> str:
        from ulna.simulation.tables import html

        return html(self)

    @property
    def final(self) -> State:
        """The state at the last sample."""
        return State(float(self.t[-1]), self.q[-1], self.qd[-1])

    @cached_property
    def tip(self) -> Floats:
        """Position and orientation of the tip, (S, 3): x, y [m] and angle [rad], unwrapped."""
        with np.errstate(all="ignore"):
            return read_only(tip(self.arm, self.q))

    @cached_property
    def tip_velocity(self) -> Floats:
        """Velocity of the tip, (S, 3): vx, vy [m/s] and turning rate [rad/s]."""
        with np.errstate(all="ignore"):
            return read_only(tip_velocity(self.arm, self.q, self.qd))

    @cached_property
    def friction(self) -> Floats:
        """Torques (S, n) [N·m] that friction takes from the joints, of stuck ones what holds them.

        They are what all other torques leave of the motion, positive where friction turns a joint
        to smaller angles, as in τ = M q̈ + C q̇ + G + b q̇ + f.
        """
        sequential = self.scenario.dynamics == "sequential"  # which knows no friction
        if sequential or not depends_on_direction(self.arm):
            return read_only(np.zeros_like(self.q))
        smooth, given, force = self.arm.without_friction(), self.tau, self.tip_force
        if self.tau_disturbance is not None and self.tip_force_disturbance is not None:
            given, force = given + self.tau_disturbance, force + self.tip_force_disturbance
        if self.current is not None and self.temperature is not None:
            given = given + reaction_torque(self.arm, self.current, self.temperature, self.tau)
        with np.errstate(all="ignore"):
            needed = inverse_dynamics(smooth, self.q, self.qd, self.qdd, tip_force=force)
            return read_only(given - needed)

    @cached_property
    def energy(self) -> Energies:
        """The energies at every sample, and how well they balance."""
        with np.errstate(all="ignore"):
            kinetic = _in_blocks(lambda q, qd: kinetic_energy(self.arm, q, qd), self.q, self.qd)
            potential = potential_energy(self.arm, self.q)
            gained = _since_start(kinetic + potential)
            error = gained - _since_start(self.injected) + _since_start(self.dissipated)
        found = (kinetic, potential, self.dissipated, self.injected, error)
        return Energies(*(read_only(values) for values in found))

    @cached_property
    def supply_power(self) -> Floats | None:
        """Power (S,) [W] that all DC motors draw from the supply; None without motors."""
        if self.current is None or self.voltage is None:
            return None
        return read_only(supplied_power(self.current, self.voltage))

    @cached_property
    def energy_flow(self) -> EnergyFlow | None:
        """Where the energy of the motors went; None without motors."""
        if self.energy_flows is None or self.current is None:
            return None
        magnetic = magnetic_energy(self.arm, self.current, self.scenario.command[0])
        rotors = np.zeros(len(self.t))
        if self.rotor_angle is not None and self.rotor_rate is not None:
            moved = self.rotor_angle, self.rotor_rate
            rotors = rotor_energy(self.arm, self.q, self.qd, *moved)
        flows = [column.copy() for column in self.energy_flows.T]
        return EnergyFlow(*(read_only(one) for one in (*flows, magnetic, rotors)))

    @property
    def provenance(self) -> dict[str, Any]:
        """All that it takes to repeat the run and to know how it went, as plain data."""
        return {
            "format": FORMAT,
            "scenario": stored(self.scenario),
            "status": dataclasses.asdict(self.status),
            "versions": dict(self.versions),
            "events": [
                {"name": event.name, "t": event.t, "q": event.q.tolist(), "qd": event.qd.tolist()}
                for event in self.events
            ],
            "contacts": [contact._asdict() for contact in self.contacts],
            "saturation": [one._asdict() for one in self.saturation],
            "sticking": [one._asdict() for one in self.sticking],
            "motors": [one._asdict() for one in self.motors],
        }

    @cached_property
    def dataset(self) -> xr.Dataset:
        """The run as an xarray Dataset over time, joint and axis, with units in its attributes."""
        from ulna.simulation.tables import dataset

        return dataset(self)

    def to_dataframe(self) -> pd.DataFrame:
        """Return the run as a pandas DataFrame.

        Returns
        -------
        pandas.DataFrame
            A row for every sample, with units in the names of the columns.
        """
        from ulna.simulation.tables import dataframe

        return dataframe(self)

    def save(self, file: PathLike, *, overwrite: bool = True) -> None:
        """Write the run to a file, which appears whole or not at all.

        Parameters
        ----------
        file : str or path
            Its name: .nc holds all of the run, and `ulna.open_run` reads it back; .csv and .parquet
            are tables of the samples.
        overwrite : bool
            Whether a file that exists is replaced.

        Raises
        ------
        InputError
            A name with another ending, or of a file that is not to be replaced.
        FileError
            The file cannot be written.
        """
        from ulna.simulation.files import save_run

        save_run(self, file, overwrite=overwrite)


def run_of(run: Run | Member) -> Run:
    """Return a member of a batch as a run, and a run as it is.

    Parameters
    ----------
    run : Run or Member
        What `ulna.simulate` returned, or a member of a batch.

    Returns
    -------
    Run
        The run.
    """
    return run if isinstance(run, Run) else run.run


def stuck_spans(run: Run, joint: int) -> Floats:
    """Return begin [s], end [s] and angle [rad] (k, 3) where a joint, counted from 0, was stuck.

    It stands still there from sample to sample, and not at a stop.
    """
    p, q = run.arm.parameters, np.asarray(run.q)[:, joint]
    still = np.asarray(run.qd)[:, joint] == 0.0
    stopped = np.minimum(np.abs(q - p.lower[joint]), np.abs(q - p.upper[joint])) <= AT_STOP
    stuck = still[:-1] & still[1:] & (q[:-1] == q[1:]) & ~stopped[:-1] & (p.static[joint] > 0.0)
    found = [(run.t[first], run.t[last + 1], q[first]) for first, last in runs(stuck)]
    return np.array(found, dtype=float).reshape(-1, 3)


@lru_cache(maxsize=64)
def signal_shapes(samples: int, n: int) -> Mapping[str, tuple[int, ...]]:
    """Return the arrays that a run may have besides, with their shapes."""
    names = ("tau_commanded", "tau_disturbance", "q_measured", "qd_measured")
    per_joint = dict.fromkeys((*names, "q_ref", "qd_ref", "qdd_ref"), (samples, n))
    windings = ("current", "voltage", "temperature", "rotor_angle", "rotor_rate")
    per_joint |= dict.fromkeys(windings, (samples, n))
    return {**per_joint, "tip_force_disturbance": (samples, 3), "energy_flows": (samples, 6)}


def _in_blocks(function: Callable[[Floats, Floats], Floats], q: Floats, qd: Floats) -> Floats:
    # A long run of a long arm has more mass matrices than memory.
    size = max(1, MOST_AT_ONCE // q.shape[1] ** 2)
    starts = range(0, len(q), size)
    return np.concatenate([function(q[k : k + size], qd[k : k + size]) for k in starts])


def _since_start(values: Floats) -> Floats:
    change: Floats = values - values[0]
    return change


def read_only(array: Floats) -> Floats:
    """Return the array itself, which can be changed no more."""
    array.flags.writeable = False
    return array
