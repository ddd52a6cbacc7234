"""What is shown beside results: a bar while long work lasts, a card in a notebook, safe pages.

The bar says how far the work has come, and leaves no trace when it is done. It appears on a
terminal or in a notebook only, and only once the work has taken a second.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from html import escape
from importlib import import_module
from threading import RLock
from typing import Any, TypeAlias

Report: TypeAlias = Callable[[float], None]

PATIENCE = 1.0  # [s] before anything is shown
INTERVAL = 0.1  # [s] between two looks
WIDTH = 30
FORMAT = f"{{desc}} [{{bar:{WIDTH}}}] {{percentage:3.0f}} %{{postfix}}"
NOTEBOOK_FORMAT = "{desc} {bar} {percentage:3.0f} %{postfix}"


@contextmanager
def progress(what: str, *, shown: bool | None = None) -> Iterator[ProgressLine]:
    """Return what is called with the part of the work that is done, from 0 to 1.

    Without `shown` a bar appears if standard error is a terminal, and in notebooks.
    """
    line = ProgressLine(what, is_seen() if shown is None else shown)
    try:
        yield line
    finally:
        line.clear()


def is_seen() -> bool:
    """Return whether a bar would be seen: on a terminal, or in a notebook."""
    return in_notebook() or (sys.stderr is not None and sys.stderr.isatty())


class ProgressLine:
    """A bar that is shown once the work takes long."""

    def __init__(self, what: str, shown: bool) -> None:
        self.what, self.shown = what, shown
        self.start: float | None = None
        self.last = self.before = 0.0
        self.bar: _TqdmBar | None = None

    def __call__(self, done: float) -> None:
        """Show how much is done, unless that was shown a moment ago."""
        now = time.monotonic()
        if self.start is None:
            # What came before the first word, such as compiling, says nothing about the rest.
            self.start, self.last, self.before = now, now - INTERVAL, done
        if not self.shown or now - self.start < PATIENCE or now - self.last < INTERVAL:
            return
        self.last = now
        done = min(max(done, 0.0), 1.0)
        left = time_left(done, now - self.start, self.before)
        if self.bar is None:
            self.bar = _TqdmBar(self.what, done, left)
        else:
            self.bar.move(done, left)

    def clear(self) -> None:
        """Leave no trace."""
        if self.bar is not None:
            self.bar.remove()


class _TqdmBar:
    """A bar of tqdm: widgets in a notebook that has them, else a line of text."""

    def __init__(self, what: str, done: float, left: str) -> None:
        kind = _bar_class()
        options = {"desc": what, "total": 1.0, "initial": done, "postfix": left, "leave": False}
        if not _makes_widgets(kind):
            self.bar = kind(**options, bar_format=FORMAT, ascii=".#", file=sys.stderr)
            self.place: Any = None
            return
        page = import_module("IPython.display")
        self.bar = kind(**options, bar_format=NOTEBOOK_FORMAT, display=False)
        # A place of its own, to be emptied: a widget that is closed leaves its output behind.
        self.place = page.display(self.bar.container, display_id=True)

    def move(self, done: float, left: str) -> None:
        self.bar.n = done
        self.bar.set_postfix_str(left)

    def remove(self) -> None:
        # Short of its end a widget is painted as a failure, and stays.
        self.bar.n = self.bar.total
        self.bar.close()
        if self.place is not None:
            self.place.update({"text/plain": "", "text/html": ""}, raw=True)


def _bar_class() -> Any:
    with warnings.catch_warnings():
        # A notebook without widgets gets a line of text, which is no reason to complain.
        warnings.simplefilter("ignore")
        from tqdm.auto import tqdm

    # Neither the thread that watches over slow bars nor locks between processes are needed.
    kind: Any = type("Bar", (tqdm,), {"monitor_interval": 0})
    kind.set_lock(RLock())
    return kind


def _makes_widgets(kind: Any) -> bool:
    return any(base.__module__ == "tqdm.notebook" for base in kind.__mro__)


def time_left(done: float, elapsed: float, before: float = 0.0) -> str:
    """Write how long the remaining work takes at the pace until now; empty where there was none.

    >>> time_left(0.5, 10.0)
    '10 s left'
    """
    if done <= before:
        return ""
    return f"{elapsed * (1.0 - done) / (done - before):.0f} s left"


def in_notebook() -> bool:
    """Return whether what is displayed reaches a page: a notebook's kernel, and no terminal."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return shell is not None and "IPKernelApp" in shell.config


def card(
    title: str,
    lines: Iterable[str] = (),
    columns: Sequence[str] = (),
    rows: Iterable[Sequence[str]] = (),
) -> str:
    """Return HTML that suits any notebook: no colours of its own, no scripts.

    >>> card("Arm", ["two links"])
    '<div><strong>Arm</strong><br>two links</div>'
    """
    text = "".join(f"<br>{escape(line)}" for line in lines)
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" if head else ""
    return f"<div><strong>{escape(title)}</strong>{text}{table}</div>"


class Described:
    """A result that describes itself, on a console and in a notebook: a title and some lines."""

    def _title(self) -> str:
        raise NotImplementedError

    def _lines(self) -> list[str]:
        raise NotImplementedError

    def __repr__(self) -> str:
        return "\n".join([self._title(), *(f"  {line}" for line in self._lines())])

    def _repr_html_(self) -> str:
        return card(self._title(), self._lines())


def _cell(text: str) -> str:
    return f"<td>{escape(text)}</td>"


def content_policy(style: str, scripts: Iterable[str] = ()) -> str:
    """Return the Content-Security-Policy of a page that has these in it and connects to nothing.

    >>> content_policy("body { margin: 0 }").partition("; style-src")[0]
    "default-src 'none'; script-src 'none'"
    """
    allowed = " ".join(map(source_hash, scripts)) or "'none'"
    return (
        f"default-src 'none'; script-src {allowed}; style-src {source_hash(style)}; "
        "font-src data:; img-src data: blob:"
    )


def source_hash(text: str) -> str:
    """Return how a Content-Security-Policy names what is inside of an element."""
    # Loaded with the first page: most work ends without one.
    from base64 import b64encode
    from hashlib import sha256

    return f"'sha256-{b64encode(sha256(text.encode('utf-8')).digest()).decode('ascii')}'"
