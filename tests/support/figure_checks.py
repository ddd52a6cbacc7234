"""What tests of figures share: arms that follow a plan, and readers of what is drawn."""

import functools
import io

import numpy as np
from matplotlib.figure import Figure
from matplotlib.text import Text

import ulna
from ulna.simulation import Run
from ulna.simulation.outcome import Status

ROUND = ulna.paths.circle(center=(0.5, 0.2), radius=0.2)


@functools.cache
def planned(n=2, path=ROUND, **options):
    """Give a plan of n equal rods, a metre together."""
    arm = ulna.Arm.rods([1.0 / n] * n, [1.0] * n, name=f"arm of {n}")
    return ulna.plan(arm, path, **{"duration": 3.0, "rate": 50.0, **options})


def followed(plan, off=0.0, **changes):
    """Give a run that is off by angles [rad] that grow with time [s], or that goes elsewhere."""
    q = plan.q + off * plan.t[:, None]
    return moved(**{"arm": plan.arm, "t": plan.t, "q": q, "qd": plan.qd + off, **changes})


def moved(arm, t, q, qd):
    """Give a run with these samples, in which nothing else happens."""
    rows, none = len(t), np.zeros_like(q)
    still = {"qdd": none, "tau": none, "tip_force": np.zeros((rows, 3))}
    energies = {"injected": np.zeros(rows), "dissipated": np.zeros(rows)}
    status = Status(True, "done", "made up")
    return Run(arm, t, q, qd, **still, **energies, status=status)


def drawn(draw, *what, **options):
    """Give axes with what a function draws on them."""
    axes = Figure().add_subplot()
    assert draw(axes, *what, **options) is axes
    return axes


def rendered(figure):
    """Give the file of a figure in low resolution."""
    page = io.BytesIO()
    figure.savefig(page, format="png", dpi=30)
    return page.getvalue()


def words(figure):
    """Give all text of a figure, titles and legends included."""
    return "\n".join(text.get_text() for text in figure.findobj(Text))


def line_of(axes, label):
    """Give the one line of a name."""
    (line,) = (line for line in axes.lines if line.get_label() == label)
    return line
