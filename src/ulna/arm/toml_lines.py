"""On which line of a TOML text a key stands: the standard parser does not say.

Headers and keys that begin a line are found; others get the line of the table around them.
"""

from __future__ import annotations

import re
from collections import Counter

LONGEST_KEY = 60  # letters of a key in a message

_HEADER = re.compile(r"\s*(\[\[?)([^\[\]=#,]+)\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"\s*([\w.\- \t\"']+)=")
_SPACES_AND_QUOTES = re.compile(r"[\s\"']")


class Lines:
    """Lines of keys such as "link.2.joint.lower", counted from one."""

    def __init__(self, text: str) -> None:
        self._lines: dict[str, int] = {}
        counts = Counter[str]()
        table = ""
        for number, line in enumerate(text.split("\n"), 1):
            if header := _HEADER.match(line):
                first, *rest = _names(header[2])
                counts[first] += header[1] == "[["
                table = ".".join([first, *[str(counts[first])] * (counts[first] > 0), *rest])
                self._lines.setdefault(table, number)
            elif key := _KEY.match(line):
                path = table
                for name in _names(key[1]):
                    path = f"{path}.{name}" if path else name
                    self._lines.setdefault(path, number)

    def of(self, key: str) -> int:
        """Return the line of a key, or of the closest table around it; 1 if nothing is known."""
        while key and key not in self._lines:
            key = key.rpartition(".")[0]
        return self._lines.get(key, 1)


def _names(key: str) -> list[str]:
    return [shown_key(name) for name in _SPACES_AND_QUOTES.sub("", key).split(".")]


def shown_key(key: str) -> str:
    """Write a key so that it stays on its line and short, whatever a file calls it."""
    plain = key if key.isprintable() else ascii(key)[1:-1]
    return plain if len(plain) <= LONGEST_KEY else plain[: LONGEST_KEY - 3] + "..."
