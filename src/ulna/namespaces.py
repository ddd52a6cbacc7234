"""What a package offers at TAB, and what it answers to names that it does not have.

The same for keywords: `suggest_keywords` lets a function say which one was meant. What people try
first, and what to write instead, is listed in `first_guesses.txt`.
"""

from __future__ import annotations

import functools
import inspect
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

from ulna.errors import did_you_mean

Called = TypeVar("Called", bound=Callable[..., Any])
Kind = TypeVar("Kind", bound=type)

_NONE: Mapping[str, str] = {}
_MOST_LISTED = 12  # names in a message
_MISSING = re.compile(r"missing \d+ required")
_UNEXPECTED = re.compile(r"got an unexpected keyword argument '(\w+)'")
# What other libraries and textbooks call a parameter, wherever a function has it.
_SYNONYMS = {
    "duration": "T t_final tf t_end tend time tspan t_span total_time seconds horizon",
    "q0": "x0 y0 theta0 state state0 initial_state q_init q_start qinit",
    "qd0": "v0 dq0 qdot0 q_dot0 qd_init initial_velocity velocity0",
    "torque": "tau u torques effort control_input",
    "method": "integrator solver scheme algorithm",
    "dt": "h step timestep time_step step_size",
    "controller": "control law",
    "reference": "trajectory plan desired setpoint set_point",
    "tip_force": "force external_force f_ext fext wrench",
    "rate": "frequency control_rate sample_rate sampling_rate freq n_samples samples hz dt",
    "timing": "profile velocity_profile time_scaling",
    "sensors": "noise measurement_noise sensor sensor_noise",
    "gravity": "g",
    "max_speed": "speed velocity v v_max vmax max_velocity",
    "max_acceleration": "acceleration a_max amax max_accel",
    "center": "centre middle",
    "radius": "r",
    "kp": "Kp KP P p Kq",
    "kd": "Kd KD D Kv kv",
    "ki": "Ki KI",
    "natural_frequency": "wn omega omega_n omega0 frequency bandwidth w0",
    "damping_ratio": "zeta xi damping ratio",
    "lower": "min q_min qmin lower_limit limits limit min_angle qlim",
    "upper": "max q_max qmax upper_limit max_angle",
    "max_velocity": "velocity_limit vmax v_max max_speed qd_max",
    "max_torque": "torque_limit tau_max effort effort_limit",
    "damping": "viscous b B viscous_friction viscous_damping",
    "length": "l L a",
    "mass": "m",
    "inertia": "I izz Izz",
    "com": "c lc r center_of_mass centre_of_mass",
    "lengths": "l L link_lengths length a",
    "masses": "m link_masses mass",
    "payload": "load tip_mass",
    "file": "path filename fname name",
    "overwrite": "force replace",
}
# What belongs to the arm that a function is given.
_OF_ARMS = {
    "gravity belongs to the arm: arm.replace(gravity=(0, 0))": "gravity g no_gravity",
    "a payload belongs to the arm: arm.with_payload(0.5)": "payload load tip_mass",
    "friction and damping belong to the joints: Joint(damping=..., friction=Friction(...))": (
        "friction damping viscous coulomb joint_damping"
    ),
    "limits belong to the joints: Joint(lower, upper, max_velocity, max_torque)": (
        "limits joint_limits velocity_limits torque_limits max_torque max_velocity tau_max q_min "
        "q_max"
    ),
    "lengths and masses belong to the arm: Arm.rods(lengths, masses)": "lengths masses links",
}


def first_guesses(of: str) -> dict[str, str]:
    """Return what to write instead of names that people try first.

    Parameters
    ----------
    of : str
        A package, or a class: a section of `first_guesses.txt`.

    Returns
    -------
    dict of str to str
        Each text with the names that it answers, with spaces in between.

    Examples
    --------
    >>> first_guesses("actuation")["actuation.actuators() lists motors with their gears"]
    'motors servos catalog motor_catalogue list_actuators'
    """
    return _all_first_guesses()[of]


@functools.cache
def _all_first_guesses() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    text = Path(__file__).with_name("first_guesses.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line.startswith("["):
            section = found[line[1:-1]] = {}
        elif line and not line.startswith("#"):
            names, _, answer = line.partition(": ")
            section[answer] = names
    return found


def namespace(
    package: str,
    guesses: Mapping[str, str] = _NONE,
    *,
    also: Iterable[str] = (),
    lazy: Mapping[str, str] = _NONE,
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` for a package.

    `dir` lists the functions of its `__all__`, and what else is asked for: no files, no imports.

    Parameters
    ----------
    package : str
        Name of the package.
    guesses : mapping of str to str, optional
        What to write instead of names that people try first; each text is a key, its value lists
        the names that it answers, with spaces in between.
    also : iterable of str, optional
        Names that `dir` lists though they are no functions; `__all__` for all public names.
    lazy : mapping of str to str, optional
        Public names that are loaded when they are first asked for, with the modules they are in.

    Returns
    -------
    getattr : callable
        The package's `__getattr__`.
    dir : callable
        The package's `__dir__`.
    """
    module = sys.modules[package]
    instead = {name: text for text, names in guesses.items() for name in names.split()}
    listed = frozenset(also)
    for name in instead:
        # A file of this name would answer that a module cannot be called.
        if isinstance(vars(module).get(name), ModuleType):
            delattr(module, name)

    def find(name: str) -> object:
        if name in lazy:
            value = getattr(import_module(lazy[name]), name)
            setattr(module, name, value)
            return value
        text = f"module {package!r} has no attribute {name!r}"
        hint = ""
        if not name.startswith("__"):
            hint = instead.get(name, "") or did_you_mean(name, module.__all__)
        raise AttributeError(f"{text}; {hint}" if hint else text)

    def offer() -> list[str]:
        public = [name for name in module.__all__ if name in listed or _is_function(module, name)]
        own = [name for name in vars(module) if name.startswith("__")]
        return sorted({*public, *own})

    return find, offer


@functools.cache
def load_extensions() -> None:
    """Import what installed packages add: the modules that they name as entry points of `ulna`."""
    from importlib.metadata import entry_points

    for one in entry_points(group="ulna"):
        one.load()


def suggest_keywords(missing: str = "", /, **guesses: str) -> Callable[[Called], Called]:
    """Return a decorator that adds "did you mean" to the refusal of a misspelt keyword.

    Only a call that Python refuses takes longer. It goes below `classmethod` and `interruptible`,
    and above `dataclass`.

    Parameters
    ----------
    missing : str, optional
        What to say where an argument is missing.
    **guesses
        Keywords that are there, by others that people try first and that are spelt unlike them;
        or sentences that say what to write instead.

    Returns
    -------
    callable
        Decorates a function, a method, or a class, whose `__init__` it then is that explains.

    Examples
    --------
    >>> @suggest_keywords(torques="keep_torques")
    ... def simulate(*, torque=None, keep_torques=False): ...
    >>> simulate(torqe=1.0)
    Traceback (most recent call last):
    TypeError: simulate() got an unexpected keyword argument 'torqe'; did you mean 'torque'?
    >>> simulate(torques=True)
    Traceback (most recent call last):
    TypeError: simulate() got an unexpected keyword argument 'torques'; did you mean 'keep_torques'?
    """

    def decorated(called: Called) -> Called:
        if isinstance(called, type):
            called.__init__ = _explained(called.__init__, guesses, missing)  # type: ignore[misc]
            return called
        return _explained(called, guesses, missing)  # type: ignore[return-value]

    return decorated


def _explained(
    function: Callable[..., Any], guesses: Mapping[str, str], missing: str
) -> Callable[..., Any]:
    @functools.wraps(function)
    def explained(*arguments: Any, **keywords: Any) -> Any:
        try:
            return function(*arguments, **keywords)
        except TypeError as error:
            text, unexpected = str(error), _UNEXPECTED.search(str(error))
            explains = unexpected or (missing and _MISSING.search(text))
            # Python has entered no function yet where it is the call itself that does not fit.
            if not explains or error.__traceback__.tb_next is not None:  # type: ignore[union-attr]
                raise
        if unexpected is None:
            raise TypeError(f"{text}; {missing}")
        name, text = unexpected[1], text[: unexpected.end()]
        known = [
            one for one in inspect.signature(function).parameters if one not in ("self", "cls")
        ]
        hint = _keyword_hint(name, guesses, known)
        raise TypeError(f"{text}; {hint}" if hint else text)

    return explained


def _keyword_hint(name: str, guesses: Mapping[str, str], known: Sequence[str]) -> str:
    meant = guesses.get(name, "")
    if not meant:
        found = (one for one, names in _SYNONYMS.items() if one in known and name in names.split())
        meant = next(found, "")
    if not meant and "arm" in known:
        meant = next((text for text, names in _OF_ARMS.items() if name in names.split()), "")
    if not meant:
        few = f"it takes {', '.join(known)}" if len(known) <= _MOST_LISTED else ""
        return did_you_mean(name, known) or few
    return f"did you mean '{meant}'?" if meant.isidentifier() else meant


class SuggestsAttributes(type):
    """The metaclass of classes that say what to write instead of names that they do not have.

    `_class_guesses` of such a class says it, as for `namespace`.
    """

    _class_guesses: Mapping[str, str]

    if not TYPE_CHECKING:

        def __getattr__(cls, name: str) -> Any:
            # `dataclass` asks for every field that has no default, and needs no hint.
            if name in vars(cls).get("__annotations__", ()):
                raise AttributeError(f"{cls.__name__}.{name} belongs to each object of the class")
            raise no_attribute(cls, name, cls._class_guesses)


def suggest_attributes(guesses: Mapping[str, str]) -> Callable[[Kind], Kind]:
    """Return a decorator of a class whose objects say what to write instead of unknown names.

    Parameters
    ----------
    guesses : mapping of str to str
        What to write instead, as for `namespace`.

    Returns
    -------
    callable
        Decorates a class.

    Examples
    --------
    >>> @suggest_attributes({"run.t are the times [s]": "time times"})
    ... class Run:
    ...     t = 0.0
    >>> Run().time
    Traceback (most recent call last):
    AttributeError: 'Run' object has no attribute 'time'; run.t are the times [s]
    """

    def decorated(kind: Kind) -> Kind:
        def find(self: object, name: str) -> object:
            raise no_attribute(self, name, guesses)

        kind.__getattr__ = find  # type: ignore[attr-defined]
        return kind

    return decorated


def _is_function(module: ModuleType, name: str) -> bool:
    value = vars(module).get(name)
    return callable(value) and not isinstance(value, type)


def no_attribute(value: object, name: str, guesses: Mapping[str, str]) -> AttributeError:
    """Return the error of an object that is asked for an attribute that it does not have.

    Parameters
    ----------
    value : object
        The object or class; its public names are offered where one is spelt much alike.
    name : str
        The attribute that was asked for.
    guesses : mapping of str to str
        What to write instead, as for `namespace`.

    Returns
    -------
    AttributeError
        To be raised.
    """
    kind = value if isinstance(value, type) else type(value)
    text = f"{kind.__name__!r} object has no attribute {name!r}"
    if isinstance(value, type):
        text = f"type object {text.replace(' object', '', 1)}"
    hint = ""
    if not name.startswith("_"):
        instead = {word: text for text, words in guesses.items() for word in words.split()}
        public = [word for word in dir(kind) if not word.startswith("_")]
        hint = instead.get(name, "") or did_you_mean(name, public)
    # Without its name and object, to which Python would add a suggestion of its own.
    return AttributeError(f"{text}; {hint}" if hint else text)
