"""Notebooks: whether we are in one, and what it shows of an object as HTML."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from html import escape


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


def _cell(text: str) -> str:
    return f"<td>{escape(text)}</td>"
