"""ulna: planar robot arms with any number of joints.

SI units and radians; x right, y up, angles counter-clockwise; joint angles are relative, the
first from the x axis. Importing this loads nothing: a name brings its module once it is used.
"""

from importlib import import_module as _import_module

from ulna._version import __version__ as __version__

# The public names by the modules that they come from; "" has modules of their own.
_HOMES = {
    "": (
        "__version__",
        "actuation",
        "analysis",
        "angles",
        "control",
        "dynamics",
        "expressions",
        "interop",
        "kinematics",
        "motion",
        "scenario",
        "simulation",
        "sweep",
        "typing",
        "units",
    ),
    "ulna.analysis": ("Portrait", "Section", "poincare", "portrait"),
    "ulna.arm": (
        "Actuators",
        "Arm",
        "Backlash",
        "ControlLoop",
        "Friction",
        "IdealMotor",
        "Joint",
        "Link",
        "Motor",
        "Parameters",
        "Payload",
        "Sensors",
        "ServoMotor",
        "StepperMotor",
        "TorqueSpeedMotor",
        "WindingHeat",
        "motor",
        "preset",
        "presets",
        "stack",
    ),
    "ulna.derivation": ("derive",),
    "ulna.errors": (
        "FileError",
        "InfeasibleError",
        "InputError",
        "Interrupted",
        "UlnaError",
        "UlnaWarning",
    ),
    "ulna.interop": ("load", "save"),
    "ulna.motion": ("Path", "Plan", "PlanRequest", "Plans", "Trajectory", "paths", "plan"),
    "ulna.scenario": ("Scenario",),
    "ulna.simulation": (
        "BatchRun",
        "BatchSimulation",
        "Run",
        "Simulation",
        "compiled",
        "open_batch",
        "open_run",
        "simulate",
        "simulate_batch",
    ),
    "ulna.sweep": ("Robustness", "Sweep", "open_sweep"),
    "ulna.sweep.robustness": ("robustness",),
    "ulna.viewer": ("animate", "play", "plot", "report", "show", "widget"),
}

_PLACES = {name: module for module, names in _HOMES.items() for name in names}
__all__ = list(_PLACES)


def __getattr__(name: str) -> object:
    found = globals()[name] = _found(name)
    return found


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})


def _found(name: str) -> object:
    if _PLACES.get(name):
        return getattr(_import_module(_PLACES[name]), name)
    try:
        if not name.startswith("__"):
            return _import_module(f"ulna.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"ulna.{name}":
            raise
    from ulna.errors import did_you_mean

    text = f"module 'ulna' has no attribute {name!r}"
    hint = "" if name.startswith("_") else did_you_mean(name, __all__)
    raise AttributeError(f"{text}; {hint}" if hint else text)
