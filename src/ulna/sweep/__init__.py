"""MANY of them: an arm for many parameters, in process or on Dask, into Zarr, resumable.

The package is called as well: ``ulna.sweep(spec, store)`` is ``ulna.sweep.execute.sweep``.
"""

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ulna.namespaces import namespace

__all__ = ["Estimate", "Sweep", "SweepSpec", "open_sweep", "read_spec"]

if TYPE_CHECKING:
    from ulna.sweep.results import Estimate, Sweep, open_sweep
    from ulna.sweep.spec import SweepSpec, read_spec


class CallablePackage(ModuleType):
    """The package as a function: a package and a function of it cannot both have the name."""

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
    _guesses = {}
    __getattr__, __dir__ = namespace(
        __name__,
        _guesses,
        lazy={
            "Estimate": "ulna.sweep.results",
            "Sweep": "ulna.sweep.results",
            "SweepSpec": "ulna.sweep.spec",
            "open_sweep": "ulna.sweep.results",
            "read_spec": "ulna.sweep.spec",
        },
    )
    sys.modules[__name__].__class__ = CallablePackage
