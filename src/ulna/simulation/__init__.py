"""WHAT happens: an arm in time, and the record of what it did."""

from typing import TYPE_CHECKING

from ulna.namespaces import namespace
from ulna.scenario.methods import IntegrationMethod, register_method
from ulna.simulation.batch.batch_files import open_batch
from ulna.simulation.batch.batch_run import BatchRun
from ulna.simulation.batch.batch_simulation import BatchSimulation
from ulna.simulation.batch.simulate_batch import simulate_batch
from ulna.simulation.batch.statuses import Statuses
from ulna.simulation.compiled_arm import CompiledArm, compiled
from ulna.simulation.files import open_run
from ulna.simulation.outcome import Contact, Event, Saturation, Status, Sticking
from ulna.simulation.run import Energies, Run
from ulna.simulation.sensors import Sensors
from ulna.simulation.simulate_arm import simulate
from ulna.simulation.simulation import Simulation

__all__ = [
    "BatchRun",
    "BatchSimulation",
    "CompiledArm",
    "Contact",
    "Energies",
    "Event",
    "IntegrationMethod",
    "Run",
    "Saturation",
    "Sensors",
    "Simulation",
    "Status",
    "Statuses",
    "Sticking",
    "compiled",
    "open_batch",
    "open_run",
    "register_method",
    "simulate",
    "simulate_batch",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = namespace(__name__)
