"""OTHERS' FILES: URDF and MuJoCo's MJCF, read by MuJoCo's compiler and written for it."""

from typing import TYPE_CHECKING

from ulna.interop.description_files import import_robot, load, save
from ulna.namespaces import namespace

__all__ = ["import_robot", "load", "save"]

if not TYPE_CHECKING:
    __getattr__, __dir__ = namespace(__name__)
