"""Puts typed kernels into a wheel, where `tools/wheel.py` asks for it."""

import os

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class KernelsHook(BuildHookInterface):
    def initialize(self, version, build_data):
        folder = os.environ.get("ULNA_SHIPPED")
        if folder:
            build_data["force_include"][folder] = "ulna/kernels/shipped"
            build_data["pure_python"] = False
            build_data["infer_tag"] = True
