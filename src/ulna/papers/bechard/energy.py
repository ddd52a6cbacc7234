"""What becomes of energy in the sequential model, and how it swings."""

from __future__ import annotations

import numpy as np

from ulna.papers.bechard import drawings, swings
from ulna.papers.bechard.parameters import numbered, said
from ulna.papers.row import Number, Picture, Row, Verdict


def row() -> Row:
    """Return the row of energy and of small swings."""
    level, raised = swings.energy_error("sequential"), swings.energy_error("sequential", np.pi / 3)
    kept = swings.energy_error("full") * swings.weight_times_reach()
    wrong = swings.median_error()
    true, model = swings.true_frequencies(), swings.sequential_frequencies()
    return Row(
        key="energy",
        title="Energy and small swings of the model, without torque and friction",
        where="§4.1",
        printed="nothing is said; basic laws are what the model is built on",
        ours=(
            f"let go level, the skater's arm gains or loses up to {level:.2f} of m g times its "
            f"reach within 20 s; the true one keeps its energy to {said(kept, '.0e')} J"
        ),
        verdict=Verdict.REMARK,
        why=(
            "The model does not conserve energy, and swings at other frequencies than the arm, "
            "because its joints do not act on one another (erratum 8)."
        ),
        how=(
            "arm of 1 and 0.7 m with 1 and 3 kg; accelerations at 100,000 random states, angles "
            "all round and links at up to 3 rad/s, compared with the true ones"
        ),
        size=f"accelerations wrong by {100.0 * wrong:.0f} % in the median",
        call=(
            "import numpy as np\n"
            "import ulna\n"
            'arm = ulna.preset("bechard-skater").replace(joints=[ulna.Joint(), ulna.Joint()])\n'
            "run = ulna.simulate(\n"
            '    arm, q0=[0, 0], duration=20.0, rtol=1e-11, dynamics="sequential"\n'
            ")\n"
            "energy = run.energy.kinetic + run.energy.potential\n"
            "error = np.abs(energy - energy[0]).max() / (arm.mass * 9.81 * arm.reach)\n"
        ),
        numbers=(
            Number("level", level, "m g·reach", label="model, let go level", digits=3),
            Number("raised", raised, "m g·reach", label="model, let go 60° up", digits=4),
            Number("true", kept, "J", label="true, let go level", digits=1),
            *numbered("true-frequency", true, "rad/s", of="small, true", each="swing", digits=5),
            *numbered("frequency", model, "rad/s", of="small, model", each="swing", digits=5),
            Number("median", wrong, "", label="median error of accelerations", digits=2),
        ),
        pictures=(
            Picture(
                "001-energy.svg",
                "The energy of an arm that is let go level and left alone for 20 s",
                drawings.energy,
            ),
        ),
    )
