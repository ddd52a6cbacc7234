"""Write docs/gallery.md from the examples: title, first words, picture and link of each.

Examples are numbered scripts in percent format, which open as notebooks, and notebooks. With
--pictures the scripts are run first, which takes some minutes, and the picture that each leaves
behind is kept, small, in docs/pictures.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
PAGE = ROOT / "docs" / "gallery.md"
PICTURES = ROOT / "docs" / "pictures"
WIDTH = 520  # [pixels] of a picture, which has to be recognised and not read
COLORS = 64
# Maps of many colours, larger than others, and what to say to the examples that draw them.
MAP_WIDTH, MAP_COLORS = 720, 256
MAPS = {"12_flip_map": ["--full"], "15_phase_portrait": []}
LINES = {"15_phase_portrait"}  # thin ones over pale areas, whose hues an octree keeps
HEAD = """# Gallery

Every page here is a script of a minute's reading in [examples](../examples), which any notebook
opens as a notebook (percent format), or such a notebook itself, and the tests run it.
`make pictures` draws them again.
"""


def examples() -> list[Path]:
    """Return all examples in order."""
    return sorted([*EXAMPLES.glob("*.py"), *EXAMPLES.glob("*.ipynb")])


def first_cell(example: Path) -> list[str]:
    """Return the lines of the first cell of a script or a notebook."""
    text = example.read_text("utf-8")
    if example.suffix == ".ipynb":
        return [line.strip() for line in json.loads(text)["cells"][0]["source"]]
    cell = text.split("# %%")[1]
    return [line.removeprefix("#").strip() for line in cell.splitlines()[1:]]


def first_words(example: Path) -> tuple[str, str]:
    """Return the title and the first paragraph of an example."""
    lines = first_cell(example)
    title = next(line.removeprefix("# ") for line in lines if line.startswith("# "))
    text = "\n".join(line for line in lines if line and not line.startswith("# "))
    return title, text


def page() -> str:
    """Write the page."""
    parts = [HEAD]
    for example in examples():
        title, text = first_words(example)
        parts.append(f"## [{title}](../examples/{example.name})\n\n{text}\n")
        if (PICTURES / f"{example.stem}.png").exists():
            parts.append(f"![{title}](pictures/{example.stem}.png)\n")
    return "\n".join(parts)


def draw(example: Path) -> None:
    """Run an example in a folder of its own, and keep the picture that bears its name."""
    words = [str(example), *MAPS.get(example.stem, [])]
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "MPLBACKEND": "Agg"}
        subprocess.run(
            [sys.executable, *words], cwd=folder, check=True, env=environment,
            stdout=subprocess.DEVNULL,
        )  # fmt: skip
        made = Path(folder) / f"{example.stem}.png"
        if made.exists():
            keep(made)


def keep(made: Path) -> None:
    """Keep a picture, made small."""
    from PIL import Image

    width, colors = (MAP_WIDTH, MAP_COLORS) if made.stem in MAPS else (WIDTH, COLORS)
    picture = Image.open(made).convert("RGB")
    picture.thumbnail((width, width))
    method = Image.Quantize.FASTOCTREE if made.stem in LINES else Image.Quantize.MEDIANCUT
    picture.quantize(colors, method).save(PICTURES / made.name, optimize=True)
    print(f"{made.name}: {(PICTURES / made.name).stat().st_size // 1000} kB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pictures", action="store_true", help="run the examples first")
    if parser.parse_args().pictures:
        for example in sorted(EXAMPLES.glob("*.py")):
            draw(example)
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
