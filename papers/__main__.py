"""`python -m papers`: compute the papers, and write them as pages for a browser."""

from __future__ import annotations

import argparse
from pathlib import Path

from papers.folder import write_papers
from papers.library import NUMBERS


def main(words: list[str] | None = None) -> None:
    """Write the papers that the words of a command ask for."""
    parser = argparse.ArgumentParser("python -m papers", description=__doc__)
    which = f"numbers of papers, of {', '.join(NUMBERS)}; all by default"
    parser.add_argument("papers", nargs="*", metavar="PAPER", help=which)
    parser.add_argument("--out", type=Path, default=Path("build/papers"), metavar="DIR")
    parser.add_argument("--overwrite", action="store_true", help="replace a folder of papers")
    given = parser.parse_args(words)
    if unknown := [number for number in given.papers if number not in NUMBERS]:
        parser.error(f"there is no paper {unknown[0]}: give {which}")
    try:
        index = write_papers(
            given.out, given.papers or NUMBERS, overwrite=given.overwrite, report=print
        )
    except OSError as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        parser.exit(130, "stopped\n")
    print(f"Open {index} in a browser.")


if __name__ == "__main__":
    main()
