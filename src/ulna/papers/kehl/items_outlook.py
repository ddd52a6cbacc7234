"""Seeing it move, and what paper 000 leaves for later."""

from __future__ import annotations

from ulna.control import CONTROLLERS
from ulna.papers.kehl.feedback import COUNTS, DAMPING, DRY, MOTOR, effect_of, error
from ulna.papers.kehl.films import film_following
from ulna.papers.kehl.items_replay import length_number
from ulna.papers.kehl.motions import plan
from ulna.papers.row import Film, Number, Row, Verdict

ANIMATION = """\
import ulna

# The paper's path is ulna.paths.loops(): a minute, and so a longer film.
made = ulna.plan(ulna.preset("kehl"), ulna.paths.circle((0.5, 0.2), 0.15), duration=1.0)
run = ulna.simulate(made.arm, controller=ulna.control.ComputedTorque(), reference=made)
ulna.animate(run, "arm.gif", fps=10.0, size=(240, 240))
"""
NEXT = """\
import numpy as np
import ulna

arm = ulna.preset("kehl").replace(joints=[ulna.Joint(damping=0.5)] * 2)
made = ulna.plan(arm, ulna.paths.loops())
law = ulna.control.PID([400.0, 100.0], [40.0, 10.0])
seen = ulna.Sensors(angle_resolution=2.0 * np.pi / 4096)
run = ulna.simulate(arm, controller=law, reference=made, sensors=seen)
print(ulna.analysis.tracking(run, made))
"""


def animation() -> Row:
    """The arm on its path, as a film."""
    held = error("computed torque")
    duration = plan().duration
    return Row(
        key="animation",
        title="The arm in motion",
        where="Figure 7",
        printed="an animation of the arm",
        ours=f"a film of the simulated arm on its path, {1e6 * held.rms:.2f} µm RMS off it",
        verdict=Verdict.SAME,
        why="The arm is seen to follow the path for its whole minute; it is simulated under "
        "feedback and not only placed there.",
        call=ANIMATION,
        numbers=(
            Number("duration", duration, "s", printed=60.0),
            Number("error", 1e6 * held.rms, "µm", label="tip RMS", digits=3),
        ),
        films=(
            Film(
                "000-figure-7.mp4",
                "Figure 7: the arm follows the path under computed torque at 1 kHz, four times "
                "as fast as it goes.",
                film_following,
            ),
        ),
    )


def outlook() -> Row:
    """What the paper names as next steps, and what is there of it."""
    laws = {
        "pid": ("PID", "PID"),
        "encoder": ("encoder", f"computed torque, an encoder of {COUNTS} counts"),
        "damping": ("damping", f"computed torque, damping of {DAMPING:g} N·m·s/rad"),
        "damping_unknown": ("unknown damping", "the same, unknown to the model"),
    }
    dry, motor = effect_of(friction=DRY), effect_of(motor=MOTOR)
    parts = {"dry friction": dry, "motors": motor}
    kept = [name for name, effect in parts.items() if effect == 0.0]
    act = [name for name, effect in parts.items() if effect != 0.0]
    told = [f"{' and '.join(kept)} as data only"] * bool(kept) + [" and ".join(act)] * bool(act)
    return Row(
        key="next",
        title="What is named as next",
        where="§3.0.1",
        printed="PID control; drag, friction, effects of motors, errors of measurement",
        ours=f"{', '.join(CONTROLLERS)}; damping in the joints; sensors with noise, resolution "
        f"and delay; {'; '.join(told)}; no drag of the air",
        verdict=Verdict.NOT_YET,
        why="PID, damping and errors of measurement are there and can be tried below; dry friction "
        "and motors have no effect yet, and there is no drag.",
        how="The path for its minute at 1 kHz; then a fall of a second with dry friction and with "
        "motors in the joints, against one without.",
        call=NEXT,
        numbers=(
            *(
                length_number(key, error(law).rms, "exact start", of)
                for key, (law, of) in laws.items()
            ),
            Number("friction", dry, "rad", label="effect of dry friction", digits=2),
            Number("motor", motor, "rad", label="effect of motors", digits=2),
        ),
    )
