"""`ulna verify`: is what is computed of an arm right?"""

from __future__ import annotations

from ulna.analysis import verify as verified
from ulna.cli import flags
from ulna.cli.arguments import find_arm
from ulna.cli.outputs import UnfinishedError
from ulna.cli.terminal import note, say, show_json, show_table

BUG = 1  # exit code


def verify(arm: flags.Arm, values: flags.Values = None, json: flags.Json = False) -> None:
    """Check an arm's dynamics by laws of mechanics and, where installed, by other programs.

    Differences are relative to the largest term. Dry friction and motors are left out, which no
    other program models alike.
    """
    found = verified(find_arm(arm, values=values))
    if json:
        rows = [
            {"name": one.name, "difference": one.difference, "bound": one.bound, "ok": one.ok}
            for one in found.checks
        ]
        show_json({"ok": found.ok, "checks": rows, "skipped": list(found.skipped)})
    else:
        cells = [
            (one.name, f"{one.difference:.1e}", f"{one.bound:.0e}", "ok" if one.ok else "beyond")
            for one in found.checks
        ]
        show_table(f"{arm}: largest differences", ("check", "difference", "bound", ""), cells)
        for reason in found.skipped:
            note(f"left out: {reason}")
        say(str(found))
    if not found.ok:
        raise UnfinishedError([f"{found}: a bug in ulna; please report it with the arm"], BUG)
