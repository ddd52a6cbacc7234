"""What several test files build their arms with, and which tests run first."""

import gc
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from coverage import Coverage

import ulna

TESTS = Path(__file__).parent
# What takes long and runs no line that other tests do not run, as `tools/untraced.py` finds.
UNTRACED = frozenset((TESTS / "untraced.txt").read_text("utf-8").split())
REGISTRIES = ("ulna.control.controller_text", "ulna.scenario.methods")
# Variables that ulna, or what it is made of, reads; libraries add others when they are loaded.
READ = ("ULNA_", "NUMBA_", "MPL", "XDG_", "HOME", "PATH", "PYTHON", "COLUMNS", "NO_COLOR", "TERM")
# The files that take longest, so that no process begins one of them when the others are done.
LONGEST_FIRST = (
    "docs/test_docs.py",
    "docs/test_examples.py",
    "browser/test_playground.py",
    "browser/test_playground_sharing.py",
    "laws/test_fastest_timing.py",
    "unit/sweep/test_cluster.py",
    "unit/derivation/test_simulating_code.py",
    "browser/test_report_pages.py",
    "browser/test_exercise_page.py",
    "browser/test_playback.py",
    "browser/test_widget.py",
    "browser/test_playground_numbers.py",
    "unit/cli/test_follow.py",
    "laws/test_dynamics_laws.py",
    "laws/test_extremes_laws.py",
    "laws/test_workspace.py",
    "laws/test_default_gains.py",
    "unit/dynamics/test_array_libraries.py",
    "unit/cli/test_plan.py",
    "unit/test_interrupts.py",
    "unit/cli/test_portrait.py",
)


def pytest_configure() -> None:
    # Shells start what goes on in the background deaf to Ctrl-C, which tests here press.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the files that take longest first; leave out what need not be traced."""
    place = {TESTS / name: index for index, name in enumerate(LONGEST_FIRST)}
    items.sort(key=lambda item: place.get(item.path, len(place)))
    if Coverage.current() is not None:
        items[:] = [item for item in items if _name_of(item) not in UNTRACED]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Iterator[None]:
    """Leave out again the laws and methods that a test registers, which others would list."""
    before = {name: dict(sys.modules[name]._known) for name in REGISTRIES if name in sys.modules}
    try:
        return (yield)
    finally:
        for module in (sys.modules[name] for name in REGISTRIES if name in sys.modules):
            ours = {name: module._known[name] for name in module.BUILT_IN}
            kept = before.get(module.__name__, ours)
            module._known.clear()
            module._known.update(kept)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[object]:
    """Keep the garbage collector from what is collected here, which stays until the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def _name_of(item: pytest.Item) -> str:
    return getattr(item, "originalname", item.name)


def _shared_state() -> dict[str, object]:
    """Return what all tests of a process have in common, by what it is called."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    return {
        "folder": Path.cwd(),
        "environment": {name: os.environ[name] for name in os.environ if name.startswith(READ)},
        "Ctrl-C": signal.getsignal(signal.SIGINT),
        "places of modules": list(sys.path),
        "what NumPy does of errors": np.geterr(),
        "open figures": pyplot.get_fignums() if pyplot else [],
    }


@pytest.fixture(scope="module", autouse=True)
def nothing_left_behind() -> Iterator[None]:
    """Hold a file of tests to leaving the process as it found it, so that none needs another."""
    before = _shared_state()
    yield
    after = _shared_state()
    assert {name: after[name] for name in before if after[name] != before[name]} == {}


def _random_arm(
    random: np.random.Generator,
    n: int,
    batch: tuple[int, ...] = (),
    *,
    limited: bool = False,
    whole: bool = False,
    friction: bool = False,
) -> ulna.Parameters:
    """Draw arms of n links of 0.1 to 1 m on a base somewhere, straight from NumPy's generator.

    A `whole` arm also has point masses, damping, geared rotors and gravity from anywhere; one with
    `friction` also has dry friction, some of it with stiction, and drag.
    """
    shape = (*batch, n)
    ones, free = np.ones(shape), np.full(shape, np.inf)
    arm = ulna.Parameters(
        length=random.uniform(0.1, 1.0, shape),
        mass=random.uniform(0.1, 2.0, shape),
        com=random.uniform(-0.2, 1.0, shape),
        com_offset=random.uniform(-0.2, 0.2, shape),
        inertia=0.1 * ones,
        tip_mass=0.0 * ones,
        damping=0.0 * ones,
        coulomb=0.0 * ones,
        static=0.0 * ones,
        stribeck_velocity=ones,
        drag=0.0 * ones,
        rotor_inertia=0.0 * ones,
        gear_ratio=ones,
        lower=-random.uniform(0.5, 2.5, shape) if limited else -free,
        upper=random.uniform(0.5, 2.5, shape) if limited else free,
        max_velocity=free,
        max_torque=free,
        gravity=np.zeros((*batch, 2)),
        base=random.uniform(-1.0, 1.0, (*batch, 2)),
    )
    if not whole:
        return arm
    arm = arm._replace(
        inertia=random.uniform(0.02, 0.2, shape),
        tip_mass=random.uniform(0.0, 1.0, shape),
        damping=random.uniform(0.0, 1.0, shape),
        rotor_inertia=random.uniform(0.0, 1e-3, shape),
        gear_ratio=random.uniform(-30.0, 30.0, shape),
        gravity=random.uniform(-10.0, 10.0, (*batch, 2)),
    )
    if not friction:
        return arm
    coulomb = random.uniform(0.0, 4.0, shape)
    return arm._replace(
        coulomb=coulomb,
        static=coulomb + random.uniform(0.0, 4.0, shape) * (random.random(shape) < 0.5),
        stribeck_velocity=random.uniform(0.1, 1.0, shape),
        drag=random.uniform(0.0, 0.2, shape),
    )


@pytest.fixture(scope="session")
def random_arm() -> Callable[..., ulna.Parameters]:
    """Give the builder of random arms: (generator, n, batch, **what) -> Parameters."""
    return _random_arm


@pytest.fixture(scope="session")
def unit() -> ulna.Arm:
    """Give the arm of two links of one metre that papers 000 works its examples with."""
    return ulna.Arm.rods([1.0, 1.0], [1.0, 1.0])


def _arm_of(p: ulna.Parameters, member: int | None = None) -> ulna.Arm:
    """Make the arm that has these numbers, or those of one member of a batch."""
    p = p if member is None else ulna.Parameters(*(value[member] for value in p))
    links = [
        ulna.Link(length=length, mass=mass, com=com, com_offset=aside, inertia=own, tip_mass=end)
        for length, mass, com, aside, own, end in _columns(
            p.length, p.mass, p.com, p.com_offset, p.inertia, p.tip_mass
        )
    ]
    frictions = [
        ulna.Friction(*numbers) if numbers[1] or numbers[3] else None
        for numbers in _columns(p.coulomb, p.static, p.stribeck_velocity, p.drag)
    ]
    joints = [
        ulna.Joint(
            damping=damping, rotor_inertia=rotor, gear_ratio=ratio, lower=lower, upper=upper,
            max_velocity=speed, max_torque=torque, friction=friction,
        )
        for (damping, rotor, ratio, lower, upper, speed, torque), friction in zip(
            _columns(
                p.damping, p.rotor_inertia, p.gear_ratio, p.lower, p.upper,
                p.max_velocity, p.max_torque,
            ),
            frictions,
            strict=True,
        )
    ]  # fmt: skip
    gravity, base = tuple(p.gravity.tolist()), tuple(p.base.tolist())
    return ulna.Arm(tuple(links), tuple(joints), gravity=gravity, base=base)


def _columns(*quantities: np.ndarray) -> Iterator[tuple[float, ...]]:
    """Go through links, or joints, with the numbers that each has of these quantities."""
    return zip(*(values.tolist() for values in quantities), strict=True)


@pytest.fixture(scope="session")
def arm_of() -> Callable[..., ulna.Arm]:
    """Give what makes an Arm of Parameters: (parameters, member) -> Arm."""
    return _arm_of
