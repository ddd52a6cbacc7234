"""Build a wheel for this system, with kernels that are typed already, into dist/.

Where it is installed, only machine code has to be made: a first simulation takes seconds.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
SHIP = "import sys, pathlib, ulna.kernels.cache as c; c.ship(pathlib.Path(sys.argv[1]))"


def main() -> None:
    with tempfile.TemporaryDirectory() as place:
        cache, shipped = Path(place) / "cache", Path(place) / "shipped"
        environment = {
            **os.environ,
            "ULNA_CACHE": str(cache),
            "ULNA_SHIPPED": str(shipped),
            "ULNA_VIEWER": "require",
        }

        def run(*words: str) -> None:
            done = subprocess.run([sys.executable, *words], env=environment, cwd=ROOT, check=False)
            if done.returncode:
                sys.exit(done.returncode)

        run("-m", "ulna", "compile")
        run("-c", SHIP, str(shipped))
        shutil.rmtree(ROOT / "dist", ignore_errors=True)
        run("-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", "dist", ".")
    for wheel in (ROOT / "dist").glob("*.whl"):
        print(f"dist/{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
