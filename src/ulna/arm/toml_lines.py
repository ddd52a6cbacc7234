"""On which line of a TOML text a key stands: the standard parser does not say.

Headers and keys that begin a line are found; others get the line of the table around them.
"""

from __future__ import annotations

import re
from collections import Counter

from ulna.errors import shown_key

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
