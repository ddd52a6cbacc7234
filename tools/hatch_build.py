"""Puts the viewer into what is built, and typed kernels where `tools/wheel.py` asks for them.

An sdist carries the built viewer, so that installing it needs neither Node nor npm. A wheel of
a checkout in which the viewer cannot be built does without. ULNA_VIEWER=skip leaves the viewer
to others, as `make` does; ULNA_VIEWER=require fails without it.
"""

import os
import sys
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).parent))
import viewer

# The systems that the package exists for.
WITH_NODE = (
    "sys_platform in 'linux darwin win32' "
    "and platform_machine in 'x86_64 AMD64 aarch64 arm64 ARM64'"
)


class UlnaHook(BuildHookInterface):
    def dependencies(self):
        if skipped() or viewer.is_fresh(viewer.Project()) or viewer.system_node():
            return []
        return [f"{viewer.PACKAGE}; {WITH_NODE}"]

    def initialize(self, version, build_data):
        if not skipped():
            self.build_viewer()
        folder = os.environ.get("ULNA_SHIPPED")
        if folder and self.target_name == "wheel":
            build_data["force_include"][folder] = "ulna/kernels/shipped"
            build_data["pure_python"] = False
            build_data["infer_tag"] = True

    def build_viewer(self):
        required = self.target_name == "sdist" or os.environ.get("ULNA_VIEWER") == "require"
        try:
            problem = "its sources have errors" if viewer.build(viewer.Project()) else None
        except viewer.CannotBuildError as error:
            problem = str(error)
        if problem and required:
            raise RuntimeError(f"the viewer is not built: {problem}")
        if problem:
            self.app.display_warning(f"the viewer is not built: {problem}")


def skipped():
    return os.environ.get("ULNA_VIEWER") == "skip"
