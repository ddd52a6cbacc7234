"""THE DOOR: the `ulna` command, one command a file."""

from ulna.cli.app import main

__all__ = ["main"]
