"""Registers lanes with Numba: importing this module is all that it takes."""

from ulna.lanes import gather_scatter, operations, views

__all__ = ["gather_scatter", "operations", "views"]
