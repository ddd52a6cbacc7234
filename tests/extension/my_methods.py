"""Methods of a user's own, in a file that ulna knows nothing of."""

from ulna.kernels import kernel
from ulna.simulation import IntegrationMethod, register_method
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.state_derivative import columns, copy, state_derivative

heun = register_method(
    IntegrationMethod("heun", 2, "to see second order at work", tableau=[[1.0], [0.5, 0.5]])
)
ralston = register_method(
    IntegrationMethod(
        "ralston3",
        3,
        "where three stages will do",
        tableau=[[1 / 2], [0.0, 3 / 4], [2 / 9, 1 / 3, 4 / 9]],
    )
)
# Its third stage depends on the first as well.
kutta = register_method(
    IntegrationMethod(
        "kutta3", 3, "as Kutta wrote it", tableau=[[1 / 2], [-1.0, 2.0], [1 / 6, 2 / 3, 1 / 6]]
    )
)


@kernel
def midpoint_step(size, m, t, h):
    """Take a step by the derivative in its middle."""
    v = m.vectors
    copy(size, m, at.STATE, at.STAGE)
    state_derivative(size, m, t, at.FIRST)
    for part in range(2):
        for i in range(columns(size, v)):
            half = 0.5 * h * v[at.DERIVATIVES + part, i]
            v[at.STAGE + part, i] = v[at.STATE + part, i] + half
    state_derivative(size, m, t + 0.5 * h, at.SECOND)
    for part in range(2):
        for i in range(columns(size, v)):
            v[at.TRIAL + part, i] = v[at.STATE + part, i] + h * v[at.DERIVATIVES + 2 + part, i]
    return 0


midpoint = register_method(
    IntegrationMethod("midpoint", 2, "a compiled step of its own", step=midpoint_step)
)


@kernel
def unknowing_step(size, m, t, h):
    """Take no step."""
    return nowhere  # noqa: F821


@kernel
def printing_step(size, m, t, h):
    """Take no step, and say so."""
    print(t)
    return 0
