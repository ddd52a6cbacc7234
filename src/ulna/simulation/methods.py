"""Methods of integration: what takes the steps of a simulation, one record each.

A method is an explicit Runge–Kutta tableau,

    k_i = f(t + c_i h, x + h Σ_{j<i} a_ij k_j),    x(t + h) ≈ x + h Σ_i b_i k_i,    c_i = Σ_j a_ij,

or a compiled function that takes a step. Options, the engine and `ulna list methods` read it from
here; one of your own is registered by one call, and runs wherever those of ulna do.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from types import MappingProxyType
from typing import Any, TypeAlias

from numpy import zeros

from ulna.errors import InputError, Problem, shown
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.tableaux import DOP853_TABLEAU, Tableau, explicit_tableau

_NOTHING = Tableau(0, zeros((at.WEIGHTS + 1, at.NODE + 1)))
STAGE_WORK = 0.0375e-6  # [s] that a stage takes for a link, about
# A kernel, or where it is imported from: "package.module:name".
StepKernel: TypeAlias = Callable[..., Any] | str


@dataclass(frozen=True, eq=False)
class IntegrationMethod:
    """A method that takes the steps of simulations: by a tableau, or by a compiled step.

    Parameters
    ----------
    name : str
        What `simulate(method=...)` calls it.
    order : int
        Its order: halving the step divides the error of a run by 2 to this power.
    about : str
        When to use it, as `ulna list methods` shows it.
    tableau : sequence of sequences of float, optional
        An explicit Runge–Kutta method of s stages: rows of 1, 2, … s numbers. The first s − 1 are
        the coefficients a_ij of the second stage and those after it; the last are the weights b_i.
    step : callable or str, optional
        In place of a tableau: a kernel `step(size, m, t, h)` that writes the state a step h after
        STATE to TRIAL, or "package.module:name" where it is found once it is needed.
    sequential_step : callable or str, optional
        The step with `dynamics="sequential"`, if it is another.
    keep : callable or str, optional
        A kernel `keep(size, m, h)` that keeps what the next step needs of an accepted one. Such a
        step is taken to be solved by iterations: VALID says whether they converged.
    adaptive : bool
        Whether it chooses its steps by a tolerance; of those of ulna, "dop853" does.
    rough : float
        The error of the angles [rad] from which on steps count as too long.
    signed_errors : bool
        Whether the errors of its steps cancel to and fro, as those of symplectic methods do.
    work : float, optional
        How long [s] a step takes for a link, about; estimated unless given.

    Raises
    ------
    InputError
        No such method can take a step: it has neither a tableau nor a step, or both; rows of other
        lengths; or weights whose sum is not 1.

    Examples
    --------
    >>> heun = IntegrationMethod("heun", 2, "an exercise", tableau=[[1.0], [0.5, 0.5]])
    >>> heun.coefficients.stages
    2
    """

    name: str
    order: int
    about: str
    tableau: Sequence[Sequence[float]] | Tableau | None = None
    step: StepKernel | None = None
    sequential_step: StepKernel | None = None
    keep: StepKernel | None = None
    adaptive: bool = False
    rough: float = 1e-2
    signed_errors: bool = False
    work: float = 0.0

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.replace("-", "_").isidentifier():
            raise InputError(Problem("method name", shown(self.name), "a word, such as 'heun'"))
        what = f"method '{self.name}'"
        if (self.tableau is None) == (self.step is None):
            got = "neither" if self.step is None else "both"
            raise InputError(Problem(what, got, "a tableau or a step"))
        if self.tableau is not None and not isinstance(self.tableau, Tableau):
            made = explicit_tableau(f"tableau of {what}", self.tableau)
            object.__setattr__(self, "tableau", made)
        if not self.work:
            object.__setattr__(self, "work", STAGE_WORK * max(self.coefficients.stages, 4))

    @property
    def coefficients(self) -> Tableau:
        """The tableau as the engine reads it: nothing of a step of its own."""
        return self.tableau if isinstance(self.tableau, Tableau) else _NOTHING

    @cached_property
    def code(self) -> int:
        """The number by which the engine knows how steps are taken."""
        if self.step is not None:
            return at.BY_KERNEL + zlib.crc32(self.name.encode())
        return at.CHAINED if self.coefficients.is_chained else at.TABLEAU


_known: dict[str, IntegrationMethod] = {}
_OWN: frozenset[str] = frozenset()  # names of ulna's own
METHODS: Mapping[str, IntegrationMethod] = MappingProxyType(_known)


def register_method(method: IntegrationMethod) -> IntegrationMethod:
    """Make a method known by its name: to `simulate`, to batches, and to `ulna list methods`.

    The command line knows it as well, if the module that registers it is named as an entry point
    of the group "ulna".

    Parameters
    ----------
    method : IntegrationMethod
        The method. One of the same name that was registered before is replaced, unless it is one
        of ulna's own.

    Returns
    -------
    IntegrationMethod
        The method itself, which `simulate(method=...)` takes as well as its name.

    Raises
    ------
    InputError
        What is given is no method, or its name is taken.

    Examples
    --------
    >>> import ulna
    >>> ralston = register_method(
    ...     IntegrationMethod(
    ...         "ralston3", 3, "for an exercise", tableau=[[1/2], [0.0, 3/4], [2/9, 1/3, 4/9]]
    ...     )
    ... )
    >>> run = ulna.simulate(ulna.preset("unit"), q0=[0.0, 0.5], duration=1.0, method="ralston3")
    >>> run.status.ok
    True
    """
    if not isinstance(method, IntegrationMethod):
        raise InputError(Problem("method", shown(method), "an IntegrationMethod(...)"))
    if method.name in _OWN:
        need = "a name that none of ulna's own methods has"
        raise InputError(Problem("method name", shown(method.name), need))
    _known[method.name] = method
    return method


def imported(kernel: Any) -> Any:
    """Return a kernel, or import it from "package.module:name"."""
    if not isinstance(kernel, str):
        return kernel
    module, _, name = kernel.partition(":")
    return getattr(import_module(module), name)


def method_of_code(code: int) -> IntegrationMethod:
    """Return the method that the engine knows by a number: of those with a step of their own."""
    return next(one for one in _known.values() if one.code == code)


_STEPS = "ulna.simulation.engine.implicit"
for _method in (
    IntegrationMethod(
        "rk4", 4, "with a controller, and where every step should take the same time",
        tableau=[[1 / 2], [0.0, 1 / 2], [0.0, 0.0, 1.0], [1 / 6, 1 / 3, 1 / 3, 1 / 6]],
    ),
    IntegrationMethod(
        "dop853", 8, "unless there is a controller: as exact as --rtol asks",
        tableau=DOP853_TABLEAU, adaptive=True, work=0.6e-6,
    ),
    IntegrationMethod(
        "semi-implicit", 1, "stiff damping, which it takes with large steps",
        step=f"{_STEPS}:semi_implicit_step", sequential_step=f"{_STEPS}:sequential_euler_step",
        rough=0.3, signed_errors=True, work=0.08e-6,
    ),
    IntegrationMethod(
        "gauss4", 4, "long runs without losses: the energy does not drift",
        step=f"{_STEPS}:gauss_step", keep=f"{_STEPS}:save_gauss_stages", work=0.5e-6,
    ),
):  # fmt: skip
    register_method(_method)
_OWN = frozenset(_known)
