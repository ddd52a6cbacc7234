"""MANY of them: a grid or a design of arms and motions, and what is kept of every point.

The package is called as well: ``ulna.sweep(spec, store)`` is ``ulna.sweep.execute.sweep``.
"""

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ulna.namespaces import namespace
from ulna.sweep.results import Estimate, Sweep, open_sweep
from ulna.sweep.robust_results import Robustness
from ulna.sweep.sweep_outputs import CURVES, SCALARS, STATUSES
from ulna.sweep.sweep_spec import SweepSpec, read_spec
from ulna.sweep.uncertainty import default_uncertainty

__all__ = [
    "CURVES",
    "SCALARS",
    "STATUSES",
    "Estimate",
    "Robustness",
    "Sweep",
    "SweepSpec",
    "default_uncertainty",
    "open_sweep",
    "read_spec",
]


class CallablePackage(ModuleType):
    """The package as a function: one name cannot stand for both otherwise."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """Simulate an arm for many parameters; see `ulna.sweep.execute.sweep`."""
        from ulna.sweep.execute import sweep

        return sweep(*arguments, **options)

    @property
    def __signature__(self) -> Any:
        from inspect import signature

        from ulna.sweep.execute import sweep

        return signature(sweep)


if not TYPE_CHECKING:
    __getattr__, __dir__ = namespace(__name__)
    sys.modules[__name__].__class__ = CallablePackage
