"""The viewer is built when its sources have changed, and its absence stops nothing else."""

import importlib.util
import json
import os
import re
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]

# Programs of Python stand in for Node and npm: what counts is which are run, and when.
FAKE_BUILD = """
import pathlib, sys
built = pathlib.Path(sys.argv[1])
built.mkdir(parents=True, exist_ok=True)
text = pathlib.Path("src/main.ts").read_text()
if text == "syntax error":
    sys.exit(3)
for bundle in ("viewer", "playground", "widget"):
    for ending in ("js", "css"):
        (built / f"{bundle}.{ending}").write_text(text)
(built / "LICENSES.txt").write_text(text)
with open("builds", "a") as log:
    log.write("built ")
"""
FAKE_NPM = """
import pathlib, sys
assert sys.argv[1] == "ci"
if pathlib.Path("offline").exists():
    sys.exit("npm error code ENOTFOUND\\nnpm error and much more")
if pathlib.Path("out of step").exists():
    sys.exit("npm error code EUSAGE\\nnpm error lock file")
pathlib.Path("node_modules").mkdir(exist_ok=True)
with open("installs", "a") as log:
    log.write("installed ")
"""


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"tool_{name}", ROOT / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def viewer() -> ModuleType:
    return load("viewer")


@pytest.fixture
def hook(monkeypatch) -> ModuleType:
    """The build hook of wheels and sdists, of a project that is neither built nor has Node."""
    pytest.importorskip("hatchling", reason="what builds wheels is installed by the dev extra")
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delenv("ULNA_VIEWER", raising=False)
    module = load("hatch_build")
    monkeypatch.setattr(module.viewer, "is_fresh", lambda project: False)
    monkeypatch.setattr(module.viewer, "system_node", lambda: None)
    return module


class Target:
    """As much of a hatch build as the hook looks at."""

    def __init__(self, name: str) -> None:
        self.target_name = name
        self.app = self
        self.warnings: list[str] = []

    def display_warning(self, text: str) -> None:
        self.warnings.append(text)


@pytest.fixture
def project(viewer, tmp_path, monkeypatch):
    """A small project, and a Node that can build it."""
    web = tmp_path / "web"
    (web / "src" / "styles").mkdir(parents=True)
    (web / "src" / "main.ts").write_text("export {};")
    (web / "src" / "styles" / "index.css").write_text("p {}")
    (web / "build.mjs").write_text(FAKE_BUILD)
    (web / "package-lock.json").write_text("{}")
    npm = tmp_path / "npm.py"
    npm.write_text(FAKE_NPM)
    node = viewer.Node([sys.executable], [sys.executable, str(npm)])
    monkeypatch.setattr(viewer, "system_node", lambda: node)
    monkeypatch.setattr(viewer, "packaged_node", lambda: None)
    monkeypatch.delenv("CI", raising=False)
    return viewer.Project(web, tmp_path / "built")


def times(log: Path) -> int:
    return len(log.read_text().split()) if log.exists() else 0


def test_the_system_has_a_node_if_it_is_recent_enough(viewer, monkeypatch):
    monkeypatch.setattr(viewer.shutil, "which", lambda name: f"/there/{name}")
    for text, taken in (("v22.12.0\n", True), ("24.1.0-nightly", True), ("v20.20.2", False)):
        version = viewer.parse_version(text)
        monkeypatch.setattr(viewer, "version_of", lambda node, version=version: version)
        expected = viewer.Node(["/there/node"], ["/there/npm"]) if taken else None
        assert viewer.system_node() == expected
    assert "20.20" in viewer.no_node()


@pytest.mark.parametrize(
    "change",
    [
        lambda project: (project.web / "src" / "main.ts").write_text("other"),
        lambda project: (project.web / "src" / "styles" / "index.css").unlink(),
        lambda project: (project.web / "src" / "main.ts").rename(project.web / "src" / "a.ts"),
        lambda project: (project.built / "viewer.css").write_text("by hand"),
    ],
    ids=["edited", "removed", "renamed", "output"],
)
def test_what_has_changed_makes_it_stale(viewer, project, change):
    viewer.main([], project)
    change(project)
    assert not viewer.is_fresh(project)


def test_packages_are_fetched_again_only_when_the_lock_file_has_changed(viewer, project):
    for _ in range(3):
        assert viewer.main([], project) == 0
    assert viewer.is_fresh(project)
    assert (times(project.web / "builds"), times(project.web / "installs")) == (1, 1)
    (project.web / "src" / "main.ts").write_text("other")
    viewer.main([], project)
    assert (times(project.web / "builds"), times(project.web / "installs")) == (2, 1)
    (project.web / "package-lock.json").write_text("{ }")
    viewer.main([], project)
    assert (times(project.web / "builds"), times(project.web / "installs")) == (3, 2)


@pytest.mark.parametrize("step", ["build", "test"])
def test_without_node_one_sentence_says_what_to_do(viewer, project, monkeypatch, capfd, step):
    monkeypatch.setattr(viewer, "system_node", lambda: None)
    monkeypatch.setattr(viewer.shutil, "which", lambda name: None)
    assert viewer.main([step], project) == 0
    said = capfd.readouterr().err
    assert said.count("\n") == 1
    assert "Node.js 22.12" in said
    assert f"pip install '{viewer.PACKAGE}'" in said
    assert viewer.main([step, "--require"], project) == 1
    monkeypatch.setenv("CI", "true")
    assert viewer.main([step], project) == 1


def test_a_viewer_that_is_built_needs_no_node(viewer, project, monkeypatch, capfd):
    viewer.main([], project)
    monkeypatch.setattr(viewer, "system_node", lambda: None)
    capfd.readouterr()
    assert viewer.main(["--require"], project) == 0
    (project.web / "src" / "main.ts").write_text("other")
    assert viewer.main([], project) == 0
    assert "not built again" in capfd.readouterr().err


def test_without_a_network_one_sentence_says_what_to_do(viewer, project, capfd):
    (project.web / "offline").touch()
    assert viewer.main([], project) == 0
    said = capfd.readouterr().err
    assert said.count("\n") == 1
    assert "npm could not fetch its packages (ENOTFOUND)" in said
    assert viewer.main(["--require"], project) == 1
    (project.web / "offline").unlink()
    assert viewer.main([], project) == 0
    assert viewer.is_fresh(project)


def test_errors_in_the_sources_always_fail(viewer, project):
    (project.web / "src" / "main.ts").write_text("syntax error")
    assert viewer.main([], project) == 3
    assert not viewer.is_fresh(project)


def test_a_build_asks_for_node_only_where_it_needs_one(hook, monkeypatch):
    (asked,) = hook.UlnaHook.dependencies(Target("wheel"))
    assert asked.startswith(hook.viewer.PACKAGE)
    with monkeypatch.context() as patch:
        patch.setattr(hook.viewer, "is_fresh", lambda project: True)
        assert hook.UlnaHook.dependencies(Target("wheel")) == []
    monkeypatch.setenv("ULNA_VIEWER", "skip")
    assert hook.UlnaHook.dependencies(Target("wheel")) == []


def test_a_wheel_does_without_a_viewer_that_cannot_be_built_and_an_sdist_does_not(
    hook, monkeypatch
):
    monkeypatch.setattr(hook.viewer, "packaged_node", lambda: None)
    wheel = Target("wheel")
    hook.UlnaHook.build_viewer(wheel)
    assert "Node.js 22.12" in wheel.warnings[0]
    with pytest.raises(RuntimeError, match=r"Node\.js 22\.12"):
        hook.UlnaHook.build_viewer(Target("sdist"))
    monkeypatch.setenv("ULNA_VIEWER", "require")
    with pytest.raises(RuntimeError, match=r"Node\.js 22\.12"):
        hook.UlnaHook.build_viewer(Target("wheel"))


def test_the_lock_file_names_versions_and_no_registry():
    lock = json.loads((ROOT / "web" / "package-lock.json").read_text("utf-8"))
    packages = {name: entry for name, entry in lock["packages"].items() if name}
    assert packages
    for name, entry in packages.items():
        assert "resolved" not in entry, name
        assert entry["integrity"].startswith("sha512-"), name


def test_the_oldest_node_is_the_same_everywhere(viewer):
    package = json.loads((ROOT / "web" / "package.json").read_text("utf-8"))
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert package["engines"]["node"] == ">={}.{}".format(*viewer.OLDEST)
    assert viewer.PACKAGE.endswith(">={}.{}".format(*viewer.OLDEST))
    assert viewer.PACKAGE in settings["project"]["optional-dependencies"]["dev"]


@pytest.fixture
def built(viewer) -> Path:
    project = viewer.Project()
    if not viewer.is_built(project):
        if os.environ.get("CI") == "true":
            pytest.fail("the viewer is not built")
        pytest.skip("the viewer is not built: python tools/viewer.py says why")
    return project.built


def test_script_and_fonts_are_small(built):
    fonts = re.findall(
        r"data:font/woff2;base64,[^)\"']+", (built / "viewer.css").read_text("utf-8")
    )
    assert len(fonts) == 4
    assert sum(map(len, fonts)) <= 160e3
    assert (built / "viewer.js").stat().st_size <= 160e3


def test_the_style_sheet_loads_nothing(built):
    addresses = re.findall(r"url\(\s*[\"']?([^)]{1,10})", (built / "viewer.css").read_text("utf-8"))
    assert addresses
    assert all(address.startswith("data:") for address in addresses)
    assert "@import" not in (built / "viewer.css").read_text("utf-8")


def test_script_and_style_sheet_can_stand_in_a_page(built):
    for name in ("viewer.js", "viewer.css"):
        assert not re.search(r"</(script|style)|<!--", (built / name).read_text("utf-8"), re.I)


def test_the_licences_of_what_is_inside_are_there(built):
    text = (built / "LICENSES.txt").read_text("utf-8")
    for name in ("uplot", "@fontsource-variable/inter", "@fontsource-variable/jetbrains-mono"):
        assert re.search(rf"^{name} \d", text, re.MULTILINE)
    assert "SIL OPEN FONT LICENSE" in text.upper()
