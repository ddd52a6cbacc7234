"""ulna: planar robot arms with any number of joints.

SI units and radians; x right, y up, angles counter-clockwise; joint angles are relative, the
first from the x axis. Importing this loads NumPy and nothing heavy.
"""

from ulna import (
    actuation,
    analysis,
    angles,
    control,
    dynamics,
    expressions,
    kinematics,
    motion,
    simulation,
    units,
)
from ulna._version import __version__
from ulna.analysis import Portrait, Section, poincare, portrait
from ulna.arm import (
    Arm,
    Friction,
    Joint,
    Link,
    Motor,
    Parameters,
    Payload,
    load,
    preset,
    presets,
    save,
    stack,
)
from ulna.derivation import derive
from ulna.errors import FileError, InfeasibleError, InputError, UlnaError, UlnaWarning
from ulna.motion import Path, Plan, Plans, Trajectory, paths, plan
from ulna.simulation import (
    BatchRun,
    Run,
    Sensors,
    Simulation,
    compiled,
    open_batch,
    open_run,
    simulate,
    simulate_batch,
)
from ulna.viewer import animate

__all__ = [
    "Arm",
    "BatchRun",
    "FileError",
    "Friction",
    "InfeasibleError",
    "InputError",
    "Joint",
    "Link",
    "Motor",
    "Parameters",
    "Path",
    "Payload",
    "Plan",
    "Plans",
    "Portrait",
    "Run",
    "Section",
    "Sensors",
    "Simulation",
    "Trajectory",
    "UlnaError",
    "UlnaWarning",
    "__version__",
    "actuation",
    "analysis",
    "angles",
    "animate",
    "compiled",
    "control",
    "derive",
    "dynamics",
    "expressions",
    "kinematics",
    "load",
    "motion",
    "open_batch",
    "open_run",
    "paths",
    "plan",
    "poincare",
    "portrait",
    "preset",
    "presets",
    "save",
    "simulate",
    "simulate_batch",
    "simulation",
    "stack",
    "units",
]
