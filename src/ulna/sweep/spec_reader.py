"""Reads the keys of a sweep's spec, gathering all that is wrong with them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

import numpy as np

from ulna import units
from ulna.analysis.step_responses import rest_posture
from ulna.arm import Actuators, Arm, ControlLoop, Sensors
from ulna.arm.control_loop import NO_LOOP, check_for_joints
from ulna.arrays import whole
from ulna.control import ComputedTorque, Controller, read_controller
from ulna.errors import InputError, Problem, Problems, shown
from ulna.motion import Path as PlanePath
from ulna.scenario.disturbances import Disturbance
from ulna.scenario.inputs import takes_positions
from ulna.scenario.plain_parts import read_plain_disturbance, read_plain_part
from ulna.sweep.cases import EXACT, FASTEST, FINITE, REST, Case, Grid, sample_grid
from ulna.sweep.sampling import Design
from ulna.sweep.spec_content import MADE_IN_PYTHON
from ulna.sweep.spec_files import SpecFiles
from ulna.sweep.sweep_outputs import PATH, STEP, KeptOutputs, read_kept
from ulna.sweep.sweep_parameters import FLAG, LOOP, OF_MOTION, OF_SIMULATION, WORD, Parameter
from ulna.sweep.vary import read_design
from ulna.typing import Derivatives, Elbow, Method, Precision, SupportsArray, TimingName

FORMAT = 1
CURVE_POINTS, MOST_SAMPLES = 200, 1_000_000
RATE = 1000.0  # [Hz] of controllers
MOTION_OPTIONS = {name: kind for name, kind in OF_MOTION.items() if name != "duration"}
SIMULATION_OPTIONS = {**OF_SIMULATION, "precision": WORD}
# What only a simulation has.
SIMULATED = (
    "controller", "controller_model", "set_point", "torque", "tip_force", "q0", "qd0", "sensors",
    "actuators", "disturbances", "seed", "start", *SIMULATION_OPTIONS,
)  # fmt: skip


class SpecKeywords(TypedDict, total=False):
    """The keys of a spec, as keywords of `ulna.sweep`; values may be objects or text."""

    arm: Arm | str
    path: PlanePath | str | None
    duration: float | str | None
    timing: TimingName
    max_speed: float | str
    max_acceleration: float | str
    elbow: Elbow
    floor: float | str
    reserve: float
    smoothing: float | str
    max_joint_acceleration: float | str
    derivatives: Derivatives
    simulate: bool
    samples: int
    start: Literal["exact", "rest"]
    controller: Controller | str | None
    controller_model: Arm | str | None
    set_point: Sequence[float | str] | SupportsArray
    torque: Sequence[float | str] | SupportsArray | str
    tip_force: Sequence[float | str] | SupportsArray | str
    q0: Sequence[float | str] | SupportsArray
    qd0: Sequence[float | str] | SupportsArray
    sensors: Sensors | Mapping[str, Any] | str | None
    actuators: Actuators | Mapping[str, Any] | None
    disturbances: Sequence[Disturbance | str] | str
    seed: int
    dt: float | str
    rate: float | str
    method: Method
    stops: bool
    restitution: float
    precision: Precision
    name: str
    vary: Mapping[str, Any]
    keep: Sequence[str] | Mapping[str, Any]


TOP = ("format", *SpecKeywords.__annotations__, "files")
KEEP = ("scalars", "curves", "run", "curve_points")

SpecParts = tuple[Case, Design, tuple[Parameter, ...], KeptOutputs, Grid, str, SpecFiles]


def read_document(document: dict[str, Any], folder: str | None) -> SpecParts:
    """Read the keys of a spec.

    Parameters
    ----------
    document : dict
        Keys and values, plain or objects.
    folder : str or None
        Where files have to be; None for a spec made in Python.

    Returns
    -------
    tuple
        Base case, design, parameters, outputs, grid, name, and files.

    Raises
    ------
    InputError
        With everything that is wrong.
    """
    # Lists compare with words and numbers, arrays do not.
    given = {
        key: value.tolist() if isinstance(value, np.ndarray) else value
        for key, value in document.items()
        if value is not None
    }
    return _SpecReader(given, folder).parts()


class _SpecReader:
    """Reads a spec key by key, gathering problems under the keys' names."""

    def __init__(self, given: dict[str, Any], folder: str | None) -> None:
        self.given, self.checks = given, Problems()
        self.files = SpecFiles(folder)
        texts = given.get("files", {})
        if folder is None and isinstance(texts, Mapping) and texts:
            self.files = SpecFiles(None, texts)
        elif "files" in given:
            self.checks.add("files", shown(texts), "nothing in a file, whose folder has them")

    def parts(self) -> SpecParts:
        given, checks = self.given, self.checks
        self._only_known()
        self._format()
        name = given.get("name", "")
        checks.one_line("name", name)
        keep, curve_points = self._keep()
        samples = None
        with checks.gather():
            if "samples" in given:
                samples = whole("samples", given["samples"], 3, MOST_SAMPLES)
        arm = self._arm()
        base = None if arm is None else self._case(arm)
        if base is None:
            raise InputError(checks.found)
        self._check_outputs(base, keep)
        if base.is_simulated and base.duration is not None:
            with checks.gather():
                base.check_steps(base.duration)
        keep = keep or _usual(base)
        finite = given.get("derivatives", "exact") == FINITE
        grid = sample_grid(samples, curve_points, curves=bool(keep.curves), finite=finite)
        design, parameters = Design("grid", (), 1), tuple[Parameter, ...]()
        with checks.gather():
            design, parameters = read_design(
                given.get("vary", {}), base, self.files.arm, self.files.path
            )
        checks.raise_if_any()
        return base, design, parameters, keep, grid, str(name), self.files

    def _format(self) -> None:
        """Check the version, which a file has to have."""
        usual = FORMAT if self.files.folder is None or self.files.texts else None
        version = self.given.get("format", usual)
        if version != FORMAT or isinstance(version, bool):
            got = "nothing" if version is None else shown(version)
            hint = "put it on the first line"
            self.checks.add("format", got, f"format = {FORMAT}", hint)

    def _only_known(self) -> None:
        made = self.given.get(MADE_IN_PYTHON)
        if made is not None:
            need = "one that text makes: read the sweep with the script that made it"
            self.checks.add("spec", f"a {' and a '.join(made)} made in Python", need)
        unknown = [key for key in self.given if key != MADE_IN_PYTHON]
        self.checks.unknown_keys(unknown, TOP)

    def _keep(self) -> tuple[KeptOutputs | None, int]:
        keep, points = self.given.get("keep"), CURVE_POINTS
        if isinstance(keep, Mapping):
            self.checks.unknown_keys(keep, KEEP, "keep")
            with self.checks.gather():
                given = keep.get("curve_points", points)
                points = whole("keep.curve_points", given, 1, MOST_SAMPLES)
        if keep is None:
            return None, points
        with self.checks.gather():
            return read_kept(keep), points
        return None, points

    def _arm(self) -> Arm | None:
        if "arm" not in self.given:
            self.checks.add("arm", "nothing", 'a robot file, such as arm = "arm.toml"')
            return None
        with self.checks.gather():
            return self.files.arm(self.given["arm"])
        return None

    def _case(self, arm: Arm) -> Case | None:
        """Read what all points have in common; None if that makes no sense."""
        given, checks, before = self.given, self.checks, len(self.checks.found)
        simulated = given.get("simulate", True)
        if not isinstance(simulated, bool):
            checks.add("simulate", shown(simulated), "true or false")
        (self._check_together if simulated is True else self._check_planned)()
        loop = arm.loop or NO_LOOP
        values: dict[str, Any] = {"arm": arm, "is_simulated": simulated}
        values["motion"] = self._options(MOTION_OPTIONS)
        values["duration"] = self._quantity("duration", "time")
        if "path" in given:
            with checks.gather():
                values["path"] = self.files.path(given["path"])
        self._derivatives(simulated is True)
        self._check_fastest()
        for name, kind in (("set_point", "angle"), ("q0", "angle"), ("qd0", "speed")):
            values[name] = self._vector(name, kind, (arm.n,))
        values["torque"] = self._vector("torque", "torque", (arm.n,), formulas=True)
        values["tip_force"] = self._vector("tip_force", "force", (2, 3), formulas=True)
        if simulated:
            values |= self._loop(arm)
            usual = {"dt": 1e-3, "rate": loop.rate or RATE}
            values["simulation"] = usual | self._options(SIMULATION_OPTIONS)
            values |= self._start(arm, values)
        if len(checks.found) > before:
            self._check_vary(values)
            return None
        return Case(**values)

    def _check_vary(self, values: Mapping[str, Any]) -> None:
        """Note what is wrong with what is varied, where what it belongs to could be read."""
        names = ("arm", "path", "controller", "set_point", "torque", "tip_force", "disturbances")
        known = {name: values[name] for name in names if values.get(name) is not None}
        if any(name in self.given and name not in known for name in names):
            return
        with self.checks.gather():
            read_design(self.given.get("vary", {}), Case(**known), self.files.arm, self.files.path)

    def _check_planned(self) -> None:
        """Note what a sweep of plans has no use for."""
        if "path" not in self.given:
            self.checks.add("path", "nothing", "a path to plan, with simulate = false")
        for key in SIMULATED:
            if key in self.given:
                self.checks.add(key, shown(self.given[key]), "nothing with simulate = false")

    def _check_together(self) -> None:
        """Note what is missing, and what cannot be given together."""
        given, checks = self.given, self.checks
        goals = [key for key in ("path", "set_point") if key in given]
        if len(goals) > 1:
            checks.add("set_point", "beside a path", "one of the two")
        if not goals and "torque" not in given:
            checks.add("path", "nothing", "a path, a set_point, or a torque")
        if not given.get("path") and "duration" not in given:
            checks.add("duration", "nothing", 'how long to simulate, such as "4 s"')
        if "torque" in given and ("controller" in given or "set_point" in given):
            checks.add("torque", shown(given["torque"]), "nothing beside a controller")
        if "torque" in given and "path" not in given and "q0" not in given:
            checks.add("q0", "nothing", "the joint angles at the start")
        if "start" in given and given["start"] not in (EXACT, REST):
            checks.add("start", shown(given["start"]), f"'{EXACT}' or '{REST}'")

    def _derivatives(self, simulated: bool) -> None:
        chosen = self.given.get("derivatives", "exact")
        if chosen not in ("exact", FINITE):
            self.checks.add("derivatives", shown(chosen), f"'exact' or '{FINITE}'")
        elif simulated and chosen == FINITE:
            self.checks.add("derivatives", "'finite'", "'exact' for what is simulated")

    def _check_fastest(self) -> None:
        """Note what a timing has no use for that finds the duration by itself, or by none."""
        given, fastest = self.given, f"timing = '{FASTEST}'"
        varied = given.get("vary", {})
        named = varied if isinstance(varied, Mapping) else {}
        if given.get("timing") == FASTEST:
            if "duration" in given or "duration" in named:
                self.checks.add("duration", "one", f"none with {fastest}, which finds it")
            if given.get("derivatives") == FINITE:
                self.checks.add("derivatives", f"'{FINITE}'", f"'exact' with {fastest}")
        elif "timing" not in named:
            for key in ("reserve", "smoothing", "max_joint_acceleration"):
                if key in given or key in named:
                    self.checks.add(key, "one", f"none, or {fastest}")

    def _start(self, arm: Arm, values: Mapping[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = {"start": self.given.get("start", EXACT)}
        if "seed" in self.given:
            with self.checks.gather():
                found["seed"] = whole("seed", self.given["seed"], 0, 2**53)
        if values["set_point"] is not None and values["q0"] is None:
            found["q0"] = tuple(rest_posture(arm).tolist())
        return found

    def _options(self, known: Mapping[str, Any]) -> dict[str, Any]:
        """Read options by their kinds: of units, words, or a switch."""
        found: dict[str, Any] = {}
        for name, kind in known.items():
            if name in self.given and kind in (WORD, FLAG):
                with self.checks.gather():
                    found[name] = Parameter(name, kind, "", LOOP).read(self.given[name], name)
            elif name in self.given:
                found[name] = self._quantity(name, kind)
        return found

    def _quantity(self, name: str, kind: str) -> float | None:
        if name not in self.given:
            return None
        with self.checks.gather():
            value = units.to_si(self.given[name], kind, what=name)
            if value <= 0.0 and name not in ("floor", "restitution", "reserve"):
                self.checks.add(name, shown(self.given[name]), f"a {kind} above 0")
            return value
        return None

    def _vector(
        self, name: str, kind: str, sizes: tuple[int, ...], *, formulas: bool = False
    ) -> tuple[Any, ...] | None:
        """Read one value a joint, or the parts of a force; formulas stay text."""
        if name not in self.given:
            return None
        value = self.given[name]
        if formulas and isinstance(value, str):
            value = units.separate(value)
        with self.checks.gather():
            listed = self.checks.sequence(name, value, f"a list of {sizes[0]} values")
            if len(listed) not in sizes:
                need = f"{' or '.join(map(str, sizes))}, one a joint"
                raise InputError(Problem(name, f"{len(listed):,} values", need))
            return tuple(self._part(name, kind, one, formulas) for one in listed)
        return None

    def _part(self, name: str, kind: str, value: Any, formulas: bool) -> Any:
        if not formulas or not isinstance(value, str):
            return units.to_si(value, kind, what=name)
        try:
            return units.to_si(value, kind, what=name)
        except InputError:
            return value.strip()

    def _loop(self, arm: Arm) -> dict[str, Any]:
        """Read controller, sensors, actuators and disturbances."""
        found: dict[str, Any] = {}
        controller = None
        with self.checks.gather():
            controller = self._controller(arm)
        own = getattr(controller, "model", None)
        if own is not None and isinstance(controller, Controller):
            found["controller_model"] = own
            controller = dataclasses.replace(controller, model=None)  # type: ignore[type-var]
        found["controller"] = controller
        with self.checks.gather():
            if "controller_model" in self.given:
                model = self.files.arm(self.given["controller_model"], "controller_model")
                found["controller_model"] = model
                if model.n != arm.n:
                    got = f"an arm of {model.n} joints"
                    raise InputError(Problem("controller_model", got, f"one of {arm.n}"))
        with self.checks.gather():
            found |= self._sensors_and_actuators(arm, controlled=controller is not None)
        with self.checks.gather():
            found["disturbances"] = self._disturbances()
        return found

    def _controller(self, arm: Arm) -> Any:
        given = self.given.get("controller")
        if isinstance(given, str):
            return read_controller(given, "controller")
        if given is not None:
            if not hasattr(given, "compiled"):
                need = "a controller of ulna.control, or text that makes one"
                raise InputError(Problem("controller", shown(given), need))
            return given
        if "torque" in self.given or (arm.has_motors and takes_positions(arm)):
            return None
        return ComputedTorque()

    def _sensors_and_actuators(self, arm: Arm, *, controlled: bool) -> dict[str, Any]:
        loop = arm.loop or NO_LOOP
        found: dict[str, Any] = {"sensors": loop.sensors, "actuators": loop.actuators}
        kinds: dict[str, Any] = {"sensors": Sensors, "actuators": Actuators}
        for name, kind in kinds.items():
            if name not in self.given:
                continue
            value = self.given[name]
            if not controlled:
                raise InputError(Problem(name, shown(value), "nothing without a controller"))
            is_made = isinstance(value, kind)
            found[name] = value if is_made else read_plain_part(kind, value, name)
        check_for_joints(ControlLoop(**found), arm.n)
        return found

    def _disturbances(self) -> tuple[Disturbance, ...]:
        given = self.given.get("disturbances", ())
        listed = [given] if isinstance(given, str | Disturbance) else given
        if not isinstance(listed, list | tuple):
            raise InputError(Problem("disturbances", shown(given), "a list of disturbances"))
        checks, found = Problems(), list[Disturbance]()
        for number, one in enumerate(listed, 1):
            with checks.gather():
                what = f"disturbances.{number}"
                made = isinstance(one, Disturbance)
                found.append(one if made else read_plain_disturbance(one, what))
        checks.raise_if_any()
        return tuple(found)

    def _check_outputs(self, base: Case, keep: KeptOutputs | None) -> None:
        has = {PATH: base.path is not None and base.is_simulated, STEP: base.set_point is not None}
        for name, output in ({} if keep is None else keep.outputs).items():
            if output.needs and not any(has[one] for one in has if one in output.needs):
                self.checks.add("keep", shown(name), f"{output.needs}, simulated")


def _usual(base: Case) -> KeptOutputs:
    """Return what is kept unless something else is asked for."""
    torques = ("torque.peak", "torque.rms")
    if base.path is not None and base.is_simulated:
        return KeptOutputs((*torques, "tip_error.rms", "tip_error.max"), ())
    if base.set_point is not None:
        return KeptOutputs((*torques, "overshoot", "settling_time"), ())
    return KeptOutputs(torques, ())
