"""On which line of a TOML text a key stands: the standard parser does not say.

The text has been parsed already, so it is known to be right; this only walks over it.
"""

from __future__ import annotations

import re
from contextlib import suppress

LONGEST_KEY = 60  # letters of a key in a message

_SPACE = re.compile(r"[ \t\r]*")
_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_TEXT = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*"{3,5}' + r"|'''(?:[^']|'(?!''))*'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*"' + r"|'[^'\n]*'",
    re.DOTALL,
)
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_PLAIN_VALUE = re.compile(r"[^,\]}\n#]*")

Path = tuple[str, ...]


class Lines:
    """Lines of keys such as "link.2.joint.lower", counted from one."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._line, self._counted = 1, 0
        self._lines: dict[str, int] = {}
        self._counts: dict[Path, int] = {}
        # What nests too deep to be walked over gets the line of the table around it.
        with suppress(RecursionError):
            self._walk()

    def of(self, key: str) -> int:
        """Return the line of a key, or of the closest table around it; 1 if nothing is known."""
        while key and key not in self._lines:
            key = key.rpartition(".")[0]
        return self._lines.get(key, 1)

    def _walk(self) -> None:
        table: Path = ()
        self._skip(_BLANK)
        while self._at < len(self._text):
            if self._text[self._at] == "[":
                table = self._header()
            else:
                self._pair(table)
            self._skip(_BLANK)

    def _header(self) -> Path:
        line = self._line_now()
        repeated = self._text.startswith("[[", self._at)
        self._at += 1 + repeated
        table = self._enter(self._key(), repeated=repeated)
        self._at += 1 + repeated
        self._note(table, line)
        return table

    def _enter(self, names: Path, *, repeated: bool) -> Path:
        """Return the path of a table, its place among its like included."""
        if repeated:
            self._counts[names] = self._counts.get(names, 0) + 1
        path: Path = ()
        for end in range(1, len(names) + 1):
            path += (names[end - 1],)
            if names[:end] in self._counts:
                path += (str(self._counts[names[:end]]),)
        return path

    def _pair(self, table: Path) -> None:
        line = self._line_now()
        names = self._key()
        for end in range(1, len(names) + 1):
            self._note(table + names[:end], line)
        path = table + names
        self._at += 1  # the equals sign
        self._value(path)

    def _key(self) -> Path:
        """Read a key, dotted or not, and stop behind it and its spaces."""
        names = []
        while True:
            self._skip(_SPACE)
            names.append(self._name())
            self._skip(_SPACE)
            if not self._text.startswith(".", self._at):
                return tuple(names)
            self._at += 1

    def _name(self) -> str:
        start = self._at
        if self._text[start] in "\"'":
            import tomllib

            self._skip(_TEXT)
            quoted = self._text[start : self._at]
            return shown_key(str(tomllib.loads(f"x = {quoted}")["x"]))
        self._skip(_BARE)
        return shown_key(self._text[start : self._at])

    def _value(self, path: Path) -> None:
        self._skip(_BLANK)
        start = self._text[self._at]
        if start in "\"'":
            self._skip(_TEXT)
        elif start == "[":
            self._array(path)
        elif start == "{":
            self._inline_table(path)
        else:
            self._skip(_PLAIN_VALUE)

    def _array(self, path: Path) -> None:
        self._at += 1
        self._skip(_BLANK)
        number = 1
        while self._text[self._at] != "]":
            member = (*path, str(number))
            self._note(member, self._line_now())
            self._value(member)
            number += self._past_comma()
        self._at += 1

    def _inline_table(self, path: Path) -> None:
        self._at += 1
        self._skip(_BLANK)
        while self._text[self._at] != "}":
            self._pair(path)
            self._past_comma()
        self._at += 1

    def _past_comma(self) -> int:
        self._skip(_BLANK)
        self._at += self._text.startswith(",", self._at)
        self._skip(_BLANK)
        return 1

    def _skip(self, pattern: re.Pattern[str]) -> None:
        found = pattern.match(self._text, self._at)
        if found:
            self._at = found.end()

    def _note(self, path: Path, line: int) -> None:
        self._lines.setdefault(".".join(path), line)

    def _line_now(self) -> int:
        self._line += self._text.count("\n", self._counted, self._at)
        self._counted = self._at
        return self._line


def shown_key(key: str) -> str:
    """Write a key so that it stays on its line and short, whatever a file calls it."""
    plain = key if key.isprintable() else ascii(key)[1:-1]
    return plain if len(plain) <= LONGEST_KEY else plain[: LONGEST_KEY - 3] + "..."
