"""Tells the compiler of lanes: importing this is all that it takes."""

from ulna.lanes import arrays, operations, rows

__all__ = ["arrays", "operations", "rows"]
