"""Figures that follow the theme of a page: one drawing with the colours of both themes.

A figure is drawn in both. As SVG the two differ in colours only; then the light one is kept, with a
rule for every colour that is another in the dark. Browsers follow such rules in images too, and
whatever else reads the file sees the light figure. Where more differs there are two files.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict

COLOR = re.compile(r"\b(fill|stroke): ?(#[0-9a-f]{6})\b")
ANY_COLOR = re.compile(r"#[0-9a-f]{6}\b")
MADE_NAME = re.compile(r"\b[A-Za-z]\w*?[0-9a-f]{10}\b")  # of markers and clips, by their looks
STYLE = "</style>"


def both_themes(light: str, dark: str) -> str | None:
    """Return a light drawing (SVG) that is as the dark one in a dark page.

    Parameters
    ----------
    light, dark : str
        The same figure in both themes, as Matplotlib writes it.

    Returns
    -------
    str or None
        The drawing; None if the two differ in more than colours.
    """
    if _bare(light) != _bare(dark) or STYLE not in light:
        return None
    partners: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for (what, color), (_, other) in zip(COLOR.findall(light), COLOR.findall(dark), strict=True):
        partners[what, color][other] += 1
    rules = [
        f'[style*="{what}: {color}"]{{{what}:{others.most_common(1)[0][0]}!important}}'
        for (what, color), others in sorted(partners.items())
        if others.most_common(1)[0][0] != color
    ]
    media = f"@media (prefers-color-scheme:dark){{{''.join(rules)}}}"
    return light.replace(STYLE, media + STYLE, 1)


def _bare(drawing: str) -> str:
    """Return a drawing without its colours and the names that were made from them."""
    return MADE_NAME.sub("", ANY_COLOR.sub("", drawing))
