"""The inertia demo: a skater of two links, in the paper's model and as she would move."""

from __future__ import annotations

import numpy as np

from ulna.papers.bechard import drawings, films, runs, swings
from ulna.papers.bechard.parameters import link_angles, numbered, said
from ulna.papers.row import Film, Number, Picture, Row, Verdict
from ulna.simulation import Run


def row() -> Row:
    """Return the row of the inertia demo."""
    model, true = runs.skater("sequential"), runs.skater("full")
    rubbed, both = (runs.skater(one, "by its number") for one in ("sequential", "full"))
    inertia = swings.first_inertia(model)
    (inwards, outwards), (true_inwards, true_outwards) = gain_of_speed(model), gain_of_speed(true)
    coupling, friction, together = (
        float(link_angles(run)[-1, 0] - link_angles(model)[-1, 0]) for run in (true, rubbed, both)
    )
    spun, kept = (swings.angular_momentum(runs.folding(way)) for way in ("sequential", "full"))
    return Row(
        key="skater",
        title="The inertia demo: a skater of two links under 45 N·m each",
        where="§4.3",
        printed="the central joint turns faster when the outer link points inwards",
        ours=(
            f"in its model it gains {inwards:.2f} rad/s² on average while the outer link points "
            f"inwards and loses {-outwards:.2f} while it does not; the true arm, with the same "
            f"friction, gains {true_inwards:.2f} and loses {-true_outwards:.2f}"
        ),
        verdict=Verdict.CORRECTED,
        why=(
            "The speed does rise, in the model because the same torque meets less inertia, and not "
            "as a skater's does: without torque the model's speed would not change (erratum 10)."
        ),
        how=(
            "from rest, both links level, under gravity; without weight, torque and friction the "
            f"angular momentum of links at 1 and 3 rad/s falls from {spun[0]:.2f} to "
            f"{spun[-1]:.2f} kg·m²/s as they fold, where the true arm keeps it"
        ),
        size=(
            f"first link after 5 s, against the paper's model: {said(coupling, '+.1f')} rad by the "
            f"coupling alone, {said(friction, '+.1f')} by B read as N·m·s/rad alone, "
            f"{said(together, '+.1f')} by both"
        ),
        call=(
            "import ulna\n"
            "from ulna.angles import relative_to_absolute\n"
            'free = ulna.preset("bechard-skater").replace(joints=[ulna.Joint(), ulna.Joint()])\n'
            "given = dict(q0=[0.0, 0.0], duration=5.0, rtol=1e-11)\n"
            "model = ulna.simulate(\n"
            '    free, **given, torque=[45, 45], dynamics="sequential",\n'
            "    sequential_damping=[1.2, 2.0],\n"
            ")\n"
            "# The same friction at the joints of the true arm: b = B I, with I as it bends.\n"
            'torque = ["45 - 1.2*(5.47 + 4.2*cos(q2))*qd1", "45 - 2*1.47*qd2"]\n'
            "true = ulna.simulate(free, **given, torque=torque)\n"
            "print(relative_to_absolute(model.q[-1]), relative_to_absolute(true.q[-1]))\n"
        ),
        numbers=(
            *numbered("angle", link_angles(model)[-1], "rad", of="θ, sequential, B per second"),
            *numbered("true-angle", link_angles(true)[-1], "rad", of="θ, true, B per second"),
            *numbered(
                "rubbed-angle", link_angles(rubbed)[-1], "rad", of="θ, sequential, b = B N·m·s/rad"
            ),
            *numbered("both-angle", link_angles(both)[-1], "rad", of="θ, true, b = B N·m·s/rad"),
            *numbered(
                "preset-angle", link_angles(runs.skater("full", "of the preset"))[-1], "rad",
                of="θ, true, constant dampers of the preset",
            ),
            Number("coupling", coupling, "rad", label="θ₁, by the coupling alone"),
            Number("friction", friction, "rad", label="θ₁, by the friction alone"),
            Number("together", together, "rad", label="θ₁, by both"),
            *_gains("", inwards, outwards, "gain of θ̇₁, sequential"),
            *_gains("true-", true_inwards, true_outwards, "gain of θ̇₁, true"),
            Number("least", float(inertia.min()), "kg·m²", label="least inertia I₁", digits=3),
            Number("most", float(inertia.max()), "kg·m²", label="most inertia I₁", digits=3),
            *_momentum("momentum", spun, "angular momentum, sequential"),
            *_momentum("true-momentum", kept, "angular momentum, true"),
        ),
        pictures=(
            Picture(
                "001-skater.svg",
                "What the first joint has to turn, and how fast it turns, with the paper's "
                "friction in both",
                drawings.skater,
            ),
        ),
        films=(
            Film(
                "001-skater.mp4",
                "The skater with the same friction, b = B I: the paper's model, and true dynamics",
                films.skater,
            ),
        ),
    )  # fmt: skip


def _gains(name: str, inwards: float, outwards: float, of: str) -> tuple[Number, Number]:
    return (
        Number(f"{name}inwards", inwards, "rad/s²", None, "outer link inwards", of, 3),
        Number(f"{name}outwards", outwards, "rad/s²", None, "outer link outwards", of, 3),
    )


def gain_of_speed(run: Run) -> tuple[float, float]:
    """Return how the first joint's speed grows [rad/s²] while the outer link points in, and out."""
    times = np.array([run.t[0], *(event.t for event in run.events), run.t[-1]])
    speeds = np.array([run.qd[0, 0], *(event.qd[0] for event in run.events), run.qd[-1, 0]])
    # The links start in one line: out at first, then in and out by turns.
    out, inside = slice(0, None, 2), slice(1, None, 2)
    gained, lasting = np.diff(speeds), np.diff(times)
    inner, outer = (float(gained[k].sum() / lasting[k].sum()) for k in (inside, out))
    return inner, outer


def _momentum(name: str, values: np.ndarray, of: str) -> tuple[Number, ...]:
    ends = {"straight": float(values[0]), "folded": float(values[-1])}
    when = {"straight": "at first", "folded": "after π/2 s"}
    return tuple(
        Number(f"{name}-{end}", value, "kg·m²/s", label=when[end], of=of, digits=4)
        for end, value in ends.items()
    )
