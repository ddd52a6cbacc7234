"""The part of `ulna follow` that --robust asks for: arms that are not quite the nominal one."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import ulna
from ulna.arrays import whole
from ulna.cli.arguments import as_option, of_controller, read_positive
from ulna.cli.flags import option, switch, with_default
from ulna.cli.outputs import Writer, figure_writer
from ulna.cli.terminal import note
from ulna.errors import Problem, rewording

if TYPE_CHECKING:
    from ulna.control import Controller
    from ulna.motion import Plan
    from ulna.sweep.robust_results import Robustness

MOST_RUNS = 1_000_000
FILES = ("robust.png", "robust.svg", "worst.nc")

RobustOption = Annotated[
    int | None,
    option(
        "COUNT",
        "Follow it with so many arms whose masses, lengths, load, friction, motors, delay, noise "
        "and disturbances are uncertain.",
    ),
]
RobustSpecOption = Annotated[
    str | None, option("FILE", "What is uncertain: a TOML file with the [vary] of a sweep.")
]
TubeOption = Annotated[
    str | None, option("LENGTH", "What --robust counts leaving: such as 5 mm; else --tolerance.")
]
SeedOption = Annotated[int, with_default("NUMBER", "Of what --robust draws.")]
SobolOption = Annotated[
    bool, switch("--sobol", "Sobol indices too, with some ten times as many runs.")
]


@dataclass(frozen=True)
class RobustRequest:
    """What --robust and its options ask for."""

    runs: int
    tube: float | None  # [m]
    seed: int
    sobol: bool
    uncertainty: dict[str, Any]  # keywords of `ulna.robustness`
    file: str | None  # that they are from

    def check(self, plan: Plan, controller: Controller | None, rate: float) -> None:
        """Raise if what is uncertain cannot be, before anything is simulated."""
        from ulna.sweep.uncertain_loop import uncertain_loop
        from ulna.sweep.uncertainty import placed_in

        base = {"sensors": None, "actuators": None, "at_rest": False, "simulation": {"rate": rate}}
        given = (self.uncertainty.get("vary"), self.uncertainty.get("disturbances"))
        with rewording(_as_asked), nullcontext() if self.file is None else placed_in(self.file):
            uncertain_loop(plan, controller, base, (self.runs, self.seed), *given)

    def judge(
        self, plan: Plan, controller: Controller | None, rate: float, *, at_rest: bool
    ) -> Robustness:
        """Simulate the arms; after Ctrl-C, those that are done are returned."""
        from ulna.sweep.robustness import robustness

        note(f"simulating {self.runs:,} arms that are not quite this one")
        with rewording(_as_asked):
            return robustness(
                plan,
                controller,
                runs=self.runs,
                tube=self.tube,
                seed=self.seed,
                rate=rate,
                at_rest=at_rest,
                sobol=self.sobol,
                on_interrupt="return",
                **self.uncertainty,
            )


def _as_asked(problem: Problem) -> Problem:
    """Return a problem under the option that it came from."""
    if problem.what == "controller":
        return of_controller(problem)
    if problem.place:
        return problem
    if problem.what in ("tube", "runs", "seed", "sobol"):
        return as_option(problem)
    return replace(problem, what=f"--robust: {problem.what}")


def read_radius(text: str | None, what: str) -> float | None:
    """Read how far off a tip may be [m], if that is given."""
    return None if text is None else read_positive(text, "length", what, "5 mm")


def read_request(
    runs: int | None,
    spec: str | None,
    tube: str | None,
    tolerance: float | None,
    seed: int,
    *,
    sobol: bool,
) -> RobustRequest | None:
    """Read what is asked for; None without --robust."""
    radius = read_radius(tube, "--tube") or tolerance
    whole("--seed", seed, 0, 2**53)
    if runs is None:
        said = {"--robust-spec": spec is not None, "--tube": tube is not None, "--sobol": sobol}
        for name in [*(name for name, given in said.items() if given), *["--seed"] * bool(seed)]:
            note(f"{name} says nothing without --robust")
        return None
    whole("--robust", runs, 1, MOST_RUNS)
    if sobol:
        from ulna.sweep.sensitivity import check_salib

        check_salib()
    uncertainty: dict[str, Any] = {}
    if spec is not None:
        from ulna.sweep.uncertainty import read_uncertainty

        uncertainty = read_uncertainty(spec)
    return RobustRequest(runs, radius, seed, sobol, uncertainty, spec)


def robust_writers() -> dict[str, Writer]:
    """Return what writes each file of it."""
    drawn = figure_writer(lambda done: ulna.viewer.robustness_figure(done.robust))
    return {
        "robust.png": drawn,
        "robust.svg": drawn,
        "worst.nc": lambda done, file: done.robust.replay()[0].save(file),
    }
