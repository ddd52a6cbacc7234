"""WHAT is simulated: the question, as values that are checked, written and read."""

from typing import TYPE_CHECKING

from ulna.namespaces import namespace
from ulna.scenario import disturbances
from ulna.scenario.scenario import Scenario

__all__ = ["Scenario", "disturbances"]

if not TYPE_CHECKING:
    __getattr__, __dir__ = namespace(__name__)
