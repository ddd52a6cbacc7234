"""Plain values as TOML: tables below their headers, what is inside lists in line."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

BARE = re.compile(r"[A-Za-z0-9_-]+")


def toml_text(table: Mapping[str, Any], owner: str = "") -> str:
    """Return the text of a table, and of the tables in it.

    Parameters
    ----------
    table : mapping
        Text, numbers, truth values, lists and tables by their keys.
    owner : str, optional
        The header of the table.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> print(toml_text({"dt": 0.001, "sensors": {"delay": 0.002}}), end="")
    dt = 0.001
    <BLANKLINE>
    [sensors]
    delay = 0.002
    """
    lines = [f"{_key(key)} = {_value(one)}" for key, one in table.items() if not _is_table(one)]
    text = "\n".join(lines) + "\n" * bool(lines)
    for key, one in table.items():
        name = f"{owner}.{_key(key)}" if owner else _key(key)
        for part in one if _is_list_of_tables(one) else [one] if _is_table(one) else []:
            header = f"[[{name}]]" if _is_list_of_tables(one) else f"[{name}]"
            text += f"\n{header}\n{toml_text(part, name)}"
    return text


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping) or _is_list_of_tables(value)


def _is_list_of_tables(value: Any) -> bool:
    return bool(isinstance(value, list) and value and isinstance(value[0], Mapping))


def _key(key: str) -> str:
    return key if BARE.fullmatch(key) else _text(key)


def _value(value: Any) -> str:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, Mapping):
        inside = ", ".join(f"{_key(key)} = {_value(one)}" for key, one in value.items())
        return f"{{ {inside} }}"
    return repr(value)


def _text(value: str) -> str:
    # A JSON string is a TOML string, but for the one control character that JSON lets through.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
