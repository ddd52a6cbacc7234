"""Methods of integration: what takes the steps of a simulation, one record each.

A method is an explicit Runge–Kutta tableau,

    k_i = f(t + c_i h, x + h Σ_{j<i} a_ij k_j),    x(t + h) ≈ x + h Σ_i b_i k_i,    c_i = Σ_j a_ij,

or a compiled function that takes a step. Options, the engine and `ulna list methods` read it from
here; one of your own is registered by one call, and runs wherever those of ulna do.

A tableau is of order p if it meets a condition for every rooted tree t of at most p vertices
(Butcher 1963):

    Σ_i b_i Φ_i(t) = 1/γ(t),    Φ_i(t) = Π_s Σ_j a_ij Φ_j(s),    γ(t) = |t| Π_s γ(s),

where s are the trees that are left of t without its root, and |t| counts its vertices.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from ulna.arrays import Array
from ulna.errors import InputError, Problem, Problems, shown
from ulna.kernels import DISABLED, Kernel
from ulna.scenario.tableaux import (
    BY_KERNEL,
    CHAINED,
    DOP853_TABLEAU,
    NODE,
    TABLEAU,
    WEIGHTS,
    Tableau,
    explicit_tableau,
)

_NOTHING = Tableau(0, np.zeros((WEIGHTS + 1, NODE + 1)))
STAGE_WORK = 0.0375e-6  # [s] that a stage takes for a link, about
ROUNDING = 1e-9  # of coefficients, by which a condition of order may be missed
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
        Whether it chooses its steps by a tolerance, as "dop853" does. That takes the weights of
        embedded methods, by which the error of a step is estimated, and a record brings none: it is
        False of all others.
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
        lengths; or weights whose sum is not 1. Or it is not of that order, or adaptive.

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
    # The tableau as the engine reads it: nothing of a method with a step of its own.
    coefficients: Tableau = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.replace("-", "_").isidentifier():
            raise InputError(Problem("method name", shown(self.name), "a word, such as 'heun'"))
        self._check()
        made = _NOTHING if self.tableau is None else self.tableau
        if not isinstance(made, Tableau):
            made = explicit_tableau(f"tableau of method '{self.name}'", made)
            self._check_order(made)
        work = self.work or STAGE_WORK * max(made.stages, 4)
        for name, value in (("coefficients", made), ("work", work)):
            object.__setattr__(self, name, value)

    def _check(self) -> None:
        found, what = Problems(), f"method '{self.name}'"
        if (self.tableau is None) == (self.step is None):
            found.add(what, "neither" if self.step is None else "both", "a tableau or a step")
        if not isinstance(self.tableau, Tableau | Sequence | np.ndarray | None):
            need = "rows of coefficients, such as [[1.0], [0.5, 0.5]]"
            found.add(f"tableau of {what}", shown(self.tableau), need)
        if type(self.order) is not int or self.order < 1:
            found.add(f"order of {what}", shown(self.order), "a whole number from 1 on")
        for name in ("step", "sequential_step", "keep"):
            _check_kernel(found, f"{name} of {what}", getattr(self, name))
        for name in ("sequential_step", "keep"):
            if self.step is None and getattr(self, name) is not None:
                need = "none, since only a method with a step has one"
                found.add(f"{name} of {what}", shown(getattr(self, name)), need)
        if self.adaptive is not False and self.tableau is not DOP853_TABLEAU:
            need = "False: a record brings no embedded weights to estimate the error of a step by"
            hint = "leave it out for steps of dt, or simulate with method='dop853'"
            found.add(f"adaptive of {what}", shown(self.adaptive), need, hint)
        found.number(f"rough of {what}", self.rough, "rad", above=0.0)
        found.number(f"work of {what}", self.work, "s", least=0.0)
        found.raise_if_any()

    def _check_order(self, made: Tableau) -> None:
        order = order_of(made)
        if order != self.order:
            need = f"{order}, the order of its tableau"
            hint = "or coefficients that meet the conditions of order"
            what = f"order of method '{self.name}'"
            raise InputError(Problem(what, str(self.order), need, hint))

    @cached_property
    def code(self) -> int:
        """The number by which the engine knows how steps are taken."""
        if self.step is not None:
            return BY_KERNEL + zlib.crc32(self.name.encode())
        return CHAINED if self.coefficients.is_chained else TABLEAU


_known: dict[str, IntegrationMethod] = {}
BUILT_IN: tuple[str, ...] = ()  # names of ulna's own
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
    if method.name in BUILT_IN:
        need = "a name that none of ulna's own methods has"
        hint = f"call it 'my-{method.name}'"
        raise InputError(Problem("method name", shown(method.name), need, hint))
    _known[method.name] = method
    return method


def order_of(tableau: Tableau) -> int:
    """Return up to which order a tableau meets the conditions."""
    s, table = tableau.stages, tableau.table
    a, b = table[:s, :s], table[WEIGHTS, :s]
    trees: list[_Tree] = []
    order = 1
    while True:  # up to s + 1: no explicit method of s stages is of a higher order than s
        for phi, density in list(_forests(trees, order - 1, np.ones(s))):
            if abs(b @ phi * order * density - 1.0) > ROUNDING:
                return order - 1
            trees.append((order, a @ phi, order * density))
        order += 1


_Tree: TypeAlias = tuple[int, Array, float]  # |t|, A Φ(t) and γ(t)


def _forests(trees: Sequence[_Tree], left: int, ones: Array) -> Iterator[tuple[Array, float]]:
    """Yield the products of A Φ and of γ over the trees, for all that have `left` vertices."""
    if left == 0:
        yield ones, 1.0
    for last, (size, grown, density) in enumerate(trees, 1):
        if size <= left:
            for phi, product in _forests(trees[:last], left - size, ones):
                yield phi * grown, product * density


def _check_kernel(found: Problems, what: str, kernel: Any) -> None:
    need = "a function under `ulna.kernels.kernel`, or where it is: 'package.module:name'"
    if not isinstance(kernel, Kernel | str | None) and not (DISABLED and callable(kernel)):
        found.add(what, shown(kernel), need)


def kernel_of(method: IntegrationMethod, name: str, arguments: tuple[str, ...]) -> Any:
    """Return a kernel of a method, imported if need be; raises InputError if there is none such."""
    kernel, what = getattr(method, name), f"{name} of method '{method.name}'"
    if isinstance(kernel, str):
        module, _, inside = kernel.partition(":")
        try:
            kernel = getattr(import_module(module), inside)
        except (ImportError, AttributeError, ValueError) as error:
            got, need = (
                f"'{kernel}' ({error})",
                "the 'package.module:name' of a kernel that is there",
            )
            raise InputError(Problem(what, got, need)) from None
        found = Problems()
        _check_kernel(found, what, kernel)
        found.raise_if_any()
    code = getattr(kernel, "py_func", kernel).__code__
    if code.co_argcount != len(arguments):
        got = f"({', '.join(code.co_varnames[: code.co_argcount])})"
        raise InputError(Problem(what, got, f"({', '.join(arguments)})"))
    return kernel


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
BUILT_IN = tuple(_known)
