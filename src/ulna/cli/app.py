"""The `ulna` command: its commands, and what becomes of an error.

The commands stand in commands.toml, so that they are listed without being imported.
"""

from __future__ import annotations

import os
import re
import sys
import tomllib
import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from ulna._version import __version__
from ulna.cli.terminal import TYPED, note, prepare_streams, say
from ulna.errors import FileError, UlnaError, UlnaWarning

BUG, INTERRUPTED = 1, 130
TABLE = tomllib.loads(Path(__file__).with_name("commands.toml").read_text("utf-8"))
COMMANDS: Mapping[str, Mapping[str, str]] = TABLE["commands"]
SETTINGS: dict[str, Any] = {
    "pretty_exceptions_enable": False,
    "rich_markup_mode": None,
    "context_settings": {"help_option_names": ["-h", "--help"]},
}


class CommandGroup(TyperGroup):
    """Commands that are listed without being imported; what is imported is the one that runs."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command, its module imported, or None if there is none of that name."""
        return load(cmd_name) if cmd_name in COMMANDS else None

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the commands, each with the first line of its help."""
        TyperGroup(commands=dict(self.commands)).format_commands(ctx, formatter)


@cache
def load(name: str) -> Any:
    """Import a command."""
    module, function = COMMANDS[name]["place"].split(":")
    alone = typer.Typer(**SETTINGS, add_completion=False)
    alone.command(name)(getattr(import_module(f"ulna.cli.{module}"), function))
    return typer.main.get_command(alone)


app = typer.Typer(name="ulna", cls=CommandGroup, no_args_is_help=True, **SETTINGS)
for name, command in COMMANDS.items():
    app.command(name, help=command["about"])(lambda: None)


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


def run(arguments: Sequence[str]) -> int:
    """Run the command that the arguments spell; return the exit code."""
    debug = "--debug" in arguments
    # The switch works wherever it is put: people add it to a command that has just failed.
    words = [word for word in arguments if word != "--debug"]
    TYPED[:] = words
    prepare_streams()
    with warnings.catch_warnings():
        warnings.simplefilter("always", UlnaWarning)
        warnings.showwarning = _warning_printer()
        try:
            _import_command(words)
            code = int(app(list(words), prog_name="ulna", standalone_mode=False) or 0)
            sys.stdout.flush()
        except BrokenPipeError:
            return _unread()
        except SystemExit as leaving:
            # Typer meets a broken pipe by leaving; whatever else leaves has its own code.
            if isinstance(leaving.__context__, BrokenPipeError):
                return _unread()
            return leaving.code if isinstance(leaving.code, int) else 0
        except Exception as error:
            if debug:
                traceback.print_exc()
            # Typer takes an EOFError for a person who ends the input; but nothing is asked for.
            cause = error.__cause__ if isinstance(error, typer.Abort) else None
            return _report(cause if isinstance(cause, EOFError) else error)
        if code == INTERRUPTED:  # as Typer returns a KeyboardInterrupt
            raise KeyboardInterrupt
        return code


def _import_command(words: Sequence[str]) -> None:
    """Import the command that the words name, and announce what it compiles."""
    command = next((word for word in words if word in COMMANDS), None)
    if command is not None:
        from ulna.kernels import compiling

        compiling.announce = note
        load(command)


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
    unknown = re.match(r"No such command '(.+?)'\.", getattr(error, "message", ""))
    for name, command in COMMANDS.items():
        # Typer may have found another by its spelling.
        if unknown and unknown[1] in command.get("tried", "").split():
            error.message = f"{unknown[0]} Did you mean '{name}'?"
    if getattr(error, "option_name", None) is None or error.ctx is None:
        return
    known = {word for option in error.ctx.command.params for word in option.opts}
    meant = [word for word in TABLE["options"].get(error.option_name, ()) if word in known]
    hints = [one["hint"] for one in TABLE["elsewhere"] if error.option_name in one["words"].split()]
    if meant:
        error.possibilities = meant
    elif hints:
        error.message, error.possibilities = f"{error.message}; {hints[0]}", None


def _warning_printer() -> Callable[..., None]:
    """Return what prints warnings for people: each once, however many steps of a command warn."""
    printed: set[str] = set()

    def show(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
        if issubclass(category, UlnaWarning) and str(message) not in printed:
            from ulna.cli.arguments import spoken

            printed.add(str(message))
            note(f"warning: {spoken(str(message))}")

    return show
