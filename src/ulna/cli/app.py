"""The `ulna` command: its commands, and what becomes of an error."""

from __future__ import annotations

import os
import re
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer

from ulna._version import __version__
from ulna.cli import (
    check,
    compiling,
    derive,
    follow,
    hold,
    info,
    listing,
    new,
    papers,
    plan,
    portrait,
    pose,
    reach,
    show,
    simulate,
)
from ulna.cli.terminal import note, prepare_streams, say
from ulna.concurrency import listening
from ulna.errors import FileError, UlnaError, UlnaWarning
from ulna.kernels import compile_progress

BUG, INTERRUPTED = 1, 130
# Words that people try, and the options that they mean, which spelling alone does not find.
SYNONYMS = {
    "--force": ("--overwrite", "--tip-force"),
    "--model": ("--controller-model", "--dynamics"),
    "--friction": ("--sequential-damping",),
    "--for": ("--duration",),
    "--flat": ("--no-gravity",),
    "--disturb": ("--disturbance",),
    "--limit": ("--max-torque",),
    "--limits": ("--max-torque",),
    "--speeds": ("--speed-range",),
    "--section": ("--section-joint",),
    "--at": ("--section-angle",),
    "--animate": ("--film",),
    "--video": ("--film",),
    "--output": ("--out",),
    "--time": ("--duration",),
    "--seconds": ("--duration",),
    "--angles": ("--q", "--q0"),
    "--initial": ("--q0",),
    "--start": ("--q0",),
    "--target": ("--to",),
    "--point": ("--to",),
    "--speed": ("--max-speed",),
    "--profile": ("--timing",),
    "--figure": ("--plot",),
    "--save": ("--out",),
}
# What people look for an option of, and where it is written instead.
_CONTROLLED = "`ulna follow`, `ulna simulate` and `ulna portrait`"
_GAINS = f'gains are part of the controller, --controller "{{}}" of {_CONTROLLED}'
ELSEWHERE = {
    _GAINS.format("PD(kp=100, kd=20)"): "--kp --kd --gain --gains",
    _GAINS.format("PID(kp=100, kd=20, ki=50)"): "--ki",
    _GAINS.format("ComputedTorque(natural_frequency=20)"): "--natural-frequency --damping-ratio",
    f"controllers are for {_CONTROLLED}": "--controller",
    'units are written in the text itself, "40 deg, -60 deg"; bare angles are in radians': (
        "--deg --degree --degrees --rad --radian --radians --unit --units"
    ),
    "it belongs to the robot file: `ulna new arm.toml` writes one, `ulna check arm.toml` "
    "checks it": (
        "--length --lengths --mass --masses --damping --limit --limits --max-torque --max-velocity"
    ),
}
COMMANDS = {
    "pose": "fk forward kinematics tip jacobian",
    "reach": "ik inverse solve workspace",
    "hold": "statics gravity torque torques payload",
    "simulate": "sim run integrate step",
    "follow": "track control controller",
    "plan": "trajectory path move",
    "portrait": "phase phase-portrait basins",
    "derive": "lagrangian dynamics equations symbolic",
    "show": "plot animate open view film",
    "list": "presets arms ls paths controllers",
    "new": "init create template",
    "check": "validate lint",
}

app = typer.Typer(
    name="ulna",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("new")(new.new)
app.command("list")(listing.list_)
app.command("check")(check.check)
app.command("pose")(pose.pose)
app.command("reach")(reach.reach)
app.command("hold")(hold.hold)
app.command("plan")(plan.plan)
app.command("follow")(follow.follow)
app.command("simulate")(simulate.simulate)
app.command("portrait")(portrait.portrait)
app.command("show")(show.show)
app.command("derive")(derive.derive)
app.command("papers")(papers.papers)
app.command("info")(info.info)
app.command("compile")(compiling.compile_)


def _version(wanted: bool) -> None:
    if wanted:
        say(f"ulna {__version__}")
        raise typer.Exit()


@app.callback()
def ulna(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    """Planar robot arms with any number of joints: where they are, what they reach, why they move.

    Angles are counter-clockwise, the first from the x axis, every other from the link before
    it; text carries units ("40 deg", "25 cm"), bare numbers are SI and radians.
    """


def run(arguments: Sequence[str], begin: Callable[[], None] = lambda: None) -> int:
    """Run the command that the arguments spell, `begin` first; return the exit code."""
    debug = "--debug" in arguments
    # The switch works wherever it is put: people add it to a command that has just failed.
    words = [word for word in arguments if word != "--debug"]
    prepare_streams()
    with warnings.catch_warnings():
        warnings.simplefilter("always", UlnaWarning)
        warnings.showwarning = _warning_printer()
        compile_progress.announce = note
        try:
            begin()
            code = _heard(words)
            sys.stdout.flush()
            if code == INTERRUPTED:
                note("stopped")
            return code
        except (typer.Abort, KeyboardInterrupt) as stopped:
            # Typer takes an EOFError for a person who ends the input; but nothing is asked for.
            if isinstance(stopped.__cause__, EOFError):
                return _report(stopped.__cause__)
            note("stopped")
            return INTERRUPTED
        except BrokenPipeError:
            return _unread()
        except SystemExit as leaving:
            # Typer meets a broken pipe by leaving; whatever else leaves has its own code.
            if isinstance(leaving.__context__, BrokenPipeError):
                return _unread()
            if leaving.code == INTERRUPTED:
                note("stopped")
            return leaving.code if isinstance(leaving.code, int) else 0
        except Exception as error:
            if debug:
                traceback.print_exc()
            return _report(error)


def _heard(words: Sequence[str]) -> int:
    """Run a command that hears every Ctrl-C, and that leaves no part of a file if it is ended."""
    with listening() as listener:
        listener.catch_termination()
        return int(app(list(words), prog_name="ulna", standalone_mode=False) or 0)


def _unread() -> int:
    """End without an error: whoever read our answer has closed the pipe, as `head` does."""
    # What is still held back would break the same pipe again when Python ends.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _report(error: Exception) -> int:
    """Print what went wrong in words, and return the exit code for it."""
    if isinstance(error, UlnaError):
        note(str(error))
        return error.exit_code
    if isinstance(error, OSError):
        note(f"the answer cannot be written: {error.strerror or error}")
        return FileError.exit_code
    if hasattr(error, "show") and hasattr(error, "exit_code"):
        # Typer's own complaint about the words of the command.
        _suggest(error)
        error.show()
        return int(error.exit_code)
    note(
        f"a bug in ulna {__version__}: {type(error).__name__}: {error}\n"
        "please report it with the output of the same command and --debug"
    )
    return BUG


def _suggest(error: Any) -> None:
    """Name the command or the options that a word stands for, among those that there are."""
    unknown = re.fullmatch(r"No such command '(.+)'\.", getattr(error, "message", ""))
    for command, words in COMMANDS.items():
        if unknown and unknown[1] in words.split():
            error.message += f" Did you mean '{command}'?"
    if getattr(error, "option_name", None) is None or error.ctx is None:
        return
    known = {word for option in error.ctx.command.params for word in option.opts}
    meant = [word for word in SYNONYMS.get(error.option_name, ()) if word in known]
    hints = [hint for hint, words in ELSEWHERE.items() if error.option_name in words.split()]
    if meant:
        error.possibilities = meant
    elif hints:
        error.message, error.possibilities = f"{error.message}; {hints[0]}", None


def _warning_printer() -> Callable[..., None]:
    """Return what prints warnings for people: each once, however many steps of a command warn."""
    printed: set[str] = set()

    def show(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
        if issubclass(category, UlnaWarning) and str(message) not in printed:
            from ulna.cli.running import spoken

            printed.add(str(message))
            note(f"warning: {spoken(str(message))}")

    return show
