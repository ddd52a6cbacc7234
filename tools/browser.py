"""Find the browser that pages are tested and measured in; with --install install one where none is.

Any Chromium does: that of the variable ULNA_BROWSER, else one on the path, else one where macOS
and Windows keep their programs.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "msedge",
)
PLACES = (
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "${PROGRAMFILES}/Google/Chrome/Application/chrome.exe",
    "${PROGRAMFILES(X86)}/Google/Chrome/Application/chrome.exe",
    "${LOCALAPPDATA}/Google/Chrome/Application/chrome.exe",
    "${PROGRAMFILES(X86)}/Microsoft/Edge/Application/msedge.exe",
)
HOW_TO_INSTALL = {
    "linux": "sudo apt-get install -y chromium",
    "darwin": "brew install --cask chromium",
    "win32": "winget install Google.Chrome",
}
# Chromium without a screen, on a machine that may reach nothing and may have no GPU.
FLAGS = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
)


def find() -> str | None:
    """Return the path of a browser, or None where there is none.

    Raises
    ------
    SystemExit
        The variable ULNA_BROWSER names a file that is not there.
    """
    asked = os.environ.get("ULNA_BROWSER")
    if asked:
        found = shutil.which(asked)
        if not found:
            raise SystemExit(
                f"ULNA_BROWSER: got {asked}, need the path of a Chromium that is there"
            )
        return found
    on_path = (shutil.which(name) for name in NAMES)
    elsewhere = (place for place in map(_expanded, PLACES) if place and Path(place).is_file())
    return next((path for path in on_path if path), None) or next(elsewhere, None)


def how_to_install() -> str:
    """Return the command that installs a browser on this system."""
    return HOW_TO_INSTALL.get(sys.platform, HOW_TO_INSTALL["linux"])


def install() -> None:
    """Install Debian's Chromium, as root or by sudo."""
    if not shutil.which("apt-get"):
        raise SystemExit(
            f"There is no browser, and no apt-get to install one by; try: {how_to_install()}"
        )
    by = [] if os.geteuid() == 0 else ["sudo"]
    install = [*by, "apt-get", "install", "-y", "--no-install-recommends", "chromium"]
    if subprocess.call(install):  # the lists of packages may be missing, or old
        subprocess.check_call([*by, "apt-get", "update"])
        subprocess.check_call(install)


def _expanded(place: str) -> str | None:
    expanded = os.path.expandvars(place)
    return None if "$" in expanded else expanded


def main() -> None:
    if not find() and "--install" in sys.argv[1:]:
        install()
    found = find()
    if not found:
        raise SystemExit(f"There is no browser; try: {how_to_install()}")
    print(found)


if __name__ == "__main__":
    main()
