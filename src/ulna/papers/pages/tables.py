"""The numbers of a row as a table, what the paper prints beside what we find."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby

from ulna.papers.pages.html_text import as_printed, escaped, figure, prose
from ulna.papers.row import Number

FULL = 0.6  # of a grid's places that numbers have to fill, or it is better a list
WIDEST = 9  # columns


def numbers_table(numbers: Sequence[Number], caption: str) -> str:
    """Return tables: a grid of `of` and `label` wherever numbers make one, else a number a line."""
    return "".join(_table(block, caption) for block in blocks(numbers))


def _table(numbers: Sequence[Number], caption: str) -> str:
    inside = _grid(numbers) if is_grid(numbers) else _list(numbers)
    words = f'<caption class="unseen">{escaped(caption)}</caption>'
    # Wider than a small screen it scrolls by itself, for which it has to be in reach of the keys.
    frame = f'<div class="scroll" tabindex="0" role="region" aria-label="{escaped(caption)}">'
    return f"{frame}<table>{words}{inside}</table></div>\n"


def blocks(numbers: Sequence[Number]) -> list[list[Number]]:
    """Divide numbers, in their order, into such as make one grid and such as make a list."""
    if not numbers or is_grid(numbers):
        return [list(numbers)] if numbers else []
    lines = [list(line) for _, line in groupby(numbers, key=lambda number: number.of)]
    parts: list[list[Number]] = []
    for _, alike in groupby(lines, key=_labels):
        part = [number for line in alike for number in line]
        if parts and not is_grid(part) and not is_grid(parts[-1]):
            parts[-1] += part
        else:
            parts.append(part)
    return parts


def _labels(line: Sequence[Number]) -> tuple[str, ...]:
    labels = tuple(_label(number) for number in line)
    # One number a line makes no grid worth its head, but in a list it does well.
    return labels if len(labels) > 1 else ()


def is_grid(numbers: Sequence[Number]) -> bool:
    """Return whether numbers fill lines and columns of their own well enough."""
    lines = {number.of for number in numbers}
    columns = Counter(_label(number) for number in numbers)
    places = {(number.of, _label(number)) for number in numbers}
    return (
        len(lines) > 1
        and len(columns) <= WIDEST
        and min(columns.values()) > 1
        and len(places) == len(numbers)
        and len(numbers) >= FULL * len(lines) * len(columns)
    )


def _label(number: Number) -> str:
    return number.label or number.name


def _in_order(words: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(words))


def _list(numbers: Sequence[Number]) -> str:
    beside = _has_printed(numbers)
    second = '<th scope="col">printed</th>' if beside else ""
    parts = [f'<thead><tr><td></td>{second}<th scope="col">ours</th></tr></thead>']
    for of, line in groupby(numbers, key=lambda number: number.of):
        parts.append(f"<tbody>{_list_lines(of, list(line), beside=beside)}</tbody>")
    return "".join(parts)


def _list_lines(of: str, numbers: Sequence[Number], *, beside: bool) -> str:
    """Return numbers that belong together, under a heading if there are several."""
    headed = bool(of) and len(numbers) > 1
    lines = []
    if headed:
        lines = [f'<tr><th scope="rowgroup" colspan="{2 + beside}">{prose(of)}</th></tr>']
    for number in numbers:
        name = _label(number) if headed else ", ".join(filter(None, (of, _label(number))))
        cells = _printed_cell(number, number.unit) * beside + _cell(number, number.unit)
        inner = ' class="inner"' if headed else ""
        lines.append(f'<tr><th scope="row"{inner}>{prose(name)}</th>{cells}</tr>')
    return "".join(lines)


def _grid(numbers: Sequence[Number]) -> str:
    places = {(number.of, _label(number)): number for number in numbers}
    columns = _in_order(_label(number) for number in numbers)
    within = {column: [n for n in numbers if _label(n) == column] for column in columns}
    lines = [_grid_head(within), "<tbody>"]
    for of in _in_order(number.of for number in numbers):
        cells = [_grid_cells(places.get((of, column)), within[column]) for column in columns]
        lines.append(f'<tr><th scope="row">{prose(of)}</th>{"".join(cells)}</tr>')
    return "".join(lines) + "</tbody>"


def _grid_head(within: dict[str, list[Number]]) -> str:
    beside = {column: _has_printed(numbers) for column, numbers in within.items()}
    tall = ' rowspan="2"' if any(beside.values()) else ""
    first, second = [f"<td{tall}></td>"], []
    for column, numbers in within.items():
        unit = _common_unit(numbers)
        name = prose(column) + (f' <span class="unit">[{prose(unit)}]</span>' if unit else "")
        if beside[column]:
            first.append(f'<th scope="colgroup" colspan="2">{name}</th>')
            second += ['<th scope="col">printed</th>', '<th scope="col">ours</th>']
        else:
            first.append(f'<th scope="col"{tall}>{name}</th>')
    below = f"<tr>{''.join(second)}</tr>" if second else ""
    return f"<thead><tr>{''.join(first)}</tr>{below}</thead>"


def _grid_cells(number: Number | None, column: Sequence[Number]) -> str:
    beside = _has_printed(column)
    if number is None:
        return "<td></td>" * (1 + beside)
    unit = "" if _common_unit(column) else number.unit
    return _printed_cell(number, unit) * beside + _cell(number, unit)


def _has_printed(numbers: Sequence[Number]) -> bool:
    return any(number.printed is not None for number in numbers)


def _common_unit(numbers: Sequence[Number]) -> str:
    units = {number.unit for number in numbers}
    return units.pop() if len(units) == 1 else ""


def _cell(number: Number, unit: str) -> str:
    return f'<td class="number">{figure(number.ours, number.digits)}{_behind(unit)}</td>'


def _printed_cell(number: Number, unit: str) -> str:
    if number.printed is None:
        return '<td class="number quiet">–</td>'
    return f'<td class="number quiet">{as_printed(number.printed)}{_behind(unit)}</td>'


def _behind(unit: str) -> str:
    # Nothing separates a degree sign from its number.
    gap = "" if unit in ("", "°") else "\N{NO-BREAK SPACE}"
    return f'{gap}<span class="unit">{prose(unit)}</span>' if unit else ""
