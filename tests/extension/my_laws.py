"""Laws of a user's own, in a file that ulna knows nothing of."""

from ulna.control import inner, law, select, sincos

MARGIN = 1.0  # a number that is compiled into a law


@law
def spring(t, q, qd, reference, state, tau, kp=400.0, kd=40.0):
    """A spring and a damper at every joint.

    As `ulna.control.PD`.
    """
    for i in range(len(q)):
        tau[i] = kp[i] * (reference[0, i] - q[i]) + kd[i] * (reference[1, i] - qd[i])


@law(state=(0.0, 0.0))
def deadband(t, q, qd, reference, state, tau, kp, kd=8.0, ki=0.0, width=0.0):
    """A spring and an integral that leave small errors alone."""
    n = len(q)
    for i in range(n):
        error = outside(reference[0, i] - q[i], width[i])
        state[i] += error * (t - state[n + i])
        state[n + i] = t
        tau[i] = kp[i] * error - kd[i] * qd[i] + ki[i] * state[i]


@inner
def outside(error, width):
    """Return by how much an error is beyond a width."""
    beyond = abs(error) - MARGIN * width
    return select(beyond > 0.0, select(error > 0.0, beyond, -beyond), 0.0)


@law
def weightless(t, q, qd, reference, state, tau, weight):
    """Hold a link against its weight, wherever it is."""
    _, cosine = sincos(q[0])
    tau[0] = weight[0] * cosine
