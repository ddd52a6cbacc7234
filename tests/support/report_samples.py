"""Reports that pages are tested with, and what Python knows of them."""

from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import ulna
from ulna.control import ComputedTorque, OpenLoop

# Each would do something on a page that took it for markup; all of them stay as they are.
ATTACKS = (
    "<script>window.attacked = 1</script>",
    "<img src=x onerror='window.attacked = 2'>",
    "</script><script>window.attacked = 3</script>",
    "line\u2028separators\u2029 and </SCRIPT  >",
    "&quot;&lt;b&gt; \"double\" 'single' `back` ${window.attacked = 4}",
    "<!--<script> and ]]> and \\u003c",
    "<svg onload=window.attacked=5><a href='javascript:window.attacked = 6'>",
)


class Sample(NamedTuple):
    """A report, and what it is of."""

    file: Path
    runs: dict[str, Any]
    plan: ulna.Plan | None = None


class Samples:
    """Reports of every kind, each made when it is first asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @cached_property
    def following(self) -> Sample:
        """Two joints along a circle, open loop and closed."""
        joints = [ulna.Joint(max_torque=3.0), ulna.Joint(max_torque=1.0)]
        arm = ulna.Arm.rods([0.25, 0.20], [0.4, 0.25], name="desk arm", joints=joints)
        return self._followed(arm, "following", command="ulna follow desk-arm.toml")

    @cached_property
    def attacked(self) -> Sample:
        """The same, with markup wherever a user may write text."""
        arm = ulna.Arm.rods([0.25, 0.20], [0.4, 0.25], name=ATTACKS[2])
        title, *notes = ATTACKS[3:]
        return self._followed(arm, "attacked", labels=ATTACKS[:2], title=title, notes=notes)

    def _followed(
        self,
        arm: ulna.Arm,
        name: str,
        labels: tuple[str, str] = ("open loop", "closed loop"),
        **given: Any,
    ) -> Sample:
        path = ulna.paths.circle(center=(0.25, 0.1), radius=0.08)
        plan = ulna.plan(arm, path, duration=2.5, timing="quintic")
        laws = (OpenLoop(), ComputedTorque(natural_frequency=20.0))
        runs = {
            label: ulna.simulate(arm, controller=law, reference=plan)
            for label, law in zip(labels, laws, strict=True)
        }
        return Sample(self._report(runs, name, plan=plan, **given), runs, plan)

    @cached_property
    def motors(self) -> Sample:
        """Three joints with servos."""
        arm = ulna.preset("so-101")
        path = ulna.paths.circle(center=(0.2, 0.1), radius=0.04)
        plan = ulna.plan(arm, path, duration=3.0, timing="quintic")
        run = ulna.simulate(arm, controller=ComputedTorque(), reference=plan)
        return Sample(self._report(run, "motors"), {"run": run})

    @cached_property
    def planned(self) -> Sample:
        """A plan that nothing has followed."""
        arm = ulna.Arm.rods([0.25, 0.20], [0.4, 0.25])
        path = ulna.paths.circle(center=(0.25, 0.1), radius=0.08)
        plan = ulna.plan(arm, path, duration=4.0)
        return Sample(self._report(plan, "plan"), {}, plan)

    @cached_property
    def batch(self) -> Sample:
        """Forty arms let go from forty postures."""
        q0 = np.random.default_rng(1).uniform(-1.0, 1.0, (40, 2))
        runs = ulna.simulate_batch(ulna.Arm.rods([0.25, 0.2], [0.4, 0.25]), q0=q0, duration=2.0)
        return Sample(self._report(runs, "batch"), {"batch": runs})

    @cached_property
    def portrait(self) -> Sample:
        """A pendulum with damping."""
        portrait = ulna.portrait(ulna.Arm.rods([0.3], [0.5]))
        return Sample(self._report(portrait, "portrait"), {"portrait": portrait})

    def long(self, count: int) -> Sample:
        """So many samples of a double pendulum, a millisecond apart."""
        run = ulna.simulate(
            ulna.Arm.rods([0.25, 0.2], [0.4, 0.25]), q0=[0.1, 0.2], duration=1e-3 * count,
            method="rk4", samples=count,
        )  # fmt: skip
        return Sample(self._report(run, f"long-{count}"), {"run": run})

    def _report(self, result: Any, name: str, **given: Any) -> Path:
        return ulna.report(result, self.folder / f"{name}.html", **given)
