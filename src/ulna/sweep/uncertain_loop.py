"""A loop whose arm is uncertain: the nominal case, and cases with other values of it.

The plan, the gains that a controller chooses by itself and the arm that it believes in stay those
of the nominal arm.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ulna.analysis.position_commands import settled_posture
from ulna.arm import Arm, Motor
from ulna.arm.control_timing import ControlTiming
from ulna.arrays import Array
from ulna.control import CompiledLaw, Controller, Reference, with_model
from ulna.control.controller import compile_controller, start_controller
from ulna.errors import InputError, Problem, shown
from ulna.motion import Plan
from ulna.scenario.arm_names import ARM_FIELDS, template
from ulna.scenario.loops import loop_of, timing_of
from ulna.scenario.reading import read_disturbance
from ulna.sweep.case_values import applied
from ulna.sweep.cases import Case, PreparedCase
from ulna.sweep.sampling import DESIGNS, Design
from ulna.sweep.spec_files import SpecFiles
from ulna.sweep.sweep_parameters import MOTION, SEED, Parameter
from ulna.sweep.uncertainty import default_uncertainty, usual_disturbance
from ulna.sweep.vary import read_design


@dataclass(frozen=True)
class NominalController:
    """A controller that is made for the nominal arm and timing, whatever it is put on.

    Gains that it chooses by itself, and the arm that it believes in, stay those of the design.

    Attributes
    ----------
    controller : Controller
        The controller.
    arm : Arm
        The nominal arm.
    timing : ControlTiming
        The control rate and the nominal delay.
    """

    controller: Any
    arm: Arm
    timing: ControlTiming

    def start(self, arm: Any) -> Any:
        """Return the state before the first tick, as on the nominal arm.

        Parameters
        ----------
        arm : Arm
            The arm that is simulated, which it does not know.

        Returns
        -------
        Any
            Whatever the controller has to remember.
        """
        return start_controller(self.controller, self.arm, self.timing)

    def torque(
        self, t: float, q: Array, qd: Array, reference: Reference, state: Any
    ) -> tuple[Array, Any]:
        """Return the torques until the next tick, and the next state.

        Parameters
        ----------
        t : float
            Time of the tick [s].
        q, qd : ndarray, shape (n,)
            Measured joint angles [rad] and rates [rad/s].
        reference : Reference
            What the arm is to follow now.
        state : Any
            What `start` or the tick before returned.

        Returns
        -------
        tau : ndarray, shape (n,)
            Torques [N·m].
        state : Any
            What is handed to the next tick.
        """
        tau, after = self.controller.torque(t, q, qd, reference, state)
        return tau, after

    def compiled(self, arm: Any) -> CompiledLaw:
        """Return the law for the compiled engine, as on the nominal arm.

        Parameters
        ----------
        arm : Arm or Parameters
            The arms that are simulated, which it does not know.

        Returns
        -------
        CompiledLaw
            A kernel with its parameters and its state before the first tick.
        """
        return compile_controller(self.controller, self.arm, self.timing)


@dataclass(frozen=True, eq=False)
class UncertainLoop:
    """A plan, the loop that is to follow it, and what is uncertain about it.

    Attributes
    ----------
    plan : Plan
        What is to be followed, by the nominal arm.
    base : Case
        The nominal loop.
    timing : ControlTiming
        What its controller is told of rate and delay.
    design : Design
        What is drawn.
    parameters : tuple of Parameter
        The same with their units.
    """

    plan: Plan
    base: Case
    timing: ControlTiming
    design: Design
    parameters: tuple[Parameter, ...]

    def case(self, values: Mapping[str, Any]) -> Case:
        """Return the loop with other values.

        Parameters
        ----------
        values : mapping
            By the names of the parameters, in SI units.

        Returns
        -------
        Case
            Whose controller knows nothing of them.

        Raises
        ------
        InputError
            If no arm has such values.
        """
        made = applied(self.base, values) if values else self.base
        controller, believed = made.controller, made.controller_model
        if controller is None:
            return made
        if believed is not None and believed is not getattr(controller, "model", believed):
            controller = with_model(controller, believed)
        designed = NominalController(controller, self.plan.arm, self.timing)
        return dataclasses.replace(made, controller=designed, controller_model=None)

    def prepared(self, case: Case) -> PreparedCase:
        """Return what a simulation of a case is called with: the nominal plan is its reference.

        Parameters
        ----------
        case : Case
            One of the loops.

        Returns
        -------
        PreparedCase
            Reference, start and duration.
        """
        q0, qd0 = np.array(case.q0, dtype=float), np.array(case.qd0, dtype=float)
        return PreparedCase(self.plan, self.plan, q0, qd0, self.plan.duration, self.command)

    @cached_property
    def command(self) -> tuple[str, Any] | None:
        """The positions of the plan, which arms without a controller are commanded."""
        return None if self.base.controller else self.base.position_command(self.plan)


def uncertain_loop(
    plan: Plan,
    controller: Controller | None,
    base: Mapping[str, Any],
    drawn: tuple[int, int],
    vary: Mapping[str, Any] | None,
    disturbances: Sequence[Any] | None,
) -> UncertainLoop:
    """Return a loop with what is uncertain about it.

    Parameters
    ----------
    plan : Plan
        What the nominal arm is to follow.
    controller : Controller or None
        What closes the loop; without one motors are commanded the planned angles.
    base : mapping
        Further fields of the nominal `Case`: start, sensors, actuators, simulation.
    drawn : tuple of int
        How many arms, and the seed of what is drawn.
    vary : mapping or None
        The table [vary]; None for `default_uncertainty`.
    disturbances : sequence of Disturbance or str, or None
        What acts besides; None for a pulse, where one is varied.

    Returns
    -------
    UncertainLoop
        Ready to be drawn from.

    Raises
    ------
    InputError
        With everything that is wrong.
    """
    design = _design_name(vary)
    arm = plan.arm
    rate, sensors, actuators = loop_of(
        arm, float(base["simulation"]["rate"]), base["sensors"], base["actuators"]
    )
    if vary is None:
        vary = default_uncertainty(plan, rate=rate, positions=controller is None)
    if disturbances is None:
        is_varied = any(str(name).startswith("disturbance.1.") for name in vary)
        disturbances = (usual_disturbance(plan, rate),) if is_varied else ()
    start, at_rest = plan.trajectory(0.0), base["at_rest"]
    q0 = settled_posture(plan) if at_rest and controller is None else start.q
    nominal = Case(
        _rated(arm),
        path=plan.path,
        q0=tuple(np.asarray(q0).tolist()),
        qd0=tuple(np.zeros(arm.n).tolist() if at_rest else np.asarray(start.qd).tolist()),
        controller=controller,
        controller_model=getattr(controller, "model", None),
        sensors=sensors,
        actuators=actuators,
        disturbances=tuple(_read_disturbances(disturbances)),
        simulation=base["simulation"],
    )
    files, count, seed = SpecFiles(), *drawn
    how = {"design": design, "count": count, "seed": seed}
    points, parameters = read_design({**vary, **how}, nominal, files.arm, files.path)
    _check_of_plan(parameters)
    timing = timing_of(sensors, actuators, arm.n, rate)
    return UncertainLoop(plan, nominal, timing, points, parameters)


def _design_name(vary: Any) -> str:
    if vary is not None and not isinstance(vary, Mapping):
        need = 'a mapping such as {"payload": {"from": 0.0, "to": 0.1}}'
        raise InputError(Problem("vary", shown(vary), need))
    name = (vary or {}).get("design", "random")
    if name not in DESIGNS[1:]:
        raise InputError(Problem("vary.design", shown(name), f"one of {', '.join(DESIGNS[1:])}"))
    return str(name)


def _rated(arm: Arm) -> Arm:
    """Return an arm whose drivers go on converting with the torque constants of the nominal one."""
    if not any(isinstance(joint.motor, Motor) for joint in arm.joints):
        return arm
    joints = []
    for joint in arm.joints:
        motor = joint.motor
        if isinstance(motor, Motor):
            rated = float(motor.rated_torque_constant or motor.torque_constant)
            motor = dataclasses.replace(motor, rated_torque_constant=rated)
            joint = dataclasses.replace(joint, motor=motor)
        joints.append(joint)
    return arm.replace(joints=joints)


def _read_disturbances(given: Sequence[Any]) -> list[Any]:
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise InputError(Problem("disturbances", shown(given), "a list of them"))
    return [
        read_disturbance(one, f"disturbances.{k}") if isinstance(one, str) else one
        for k, one in enumerate(given, 1)
    ]


def _check_of_plan(parameters: Sequence[Parameter]) -> None:
    """Raise for what would be another plan, or no parameter of a loop."""
    problems = [
        Problem(f"vary.{one.name}", "a parameter of the plan", "one of the arm or its loop",
                "the plan stays that of the nominal arm; ulna.sweep varies plans")
        for one in parameters
        if one.role == SEED or (one.role == MOTION and template(one.name) not in ARM_FIELDS)
    ]  # fmt: skip
    if problems:
        raise InputError(problems)
