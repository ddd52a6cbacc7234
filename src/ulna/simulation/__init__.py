"""WHAT happens: an arm in time, and the record of what it did."""

from ulna.simulation import disturbances
from ulna.simulation.batch.batch_simulation import BatchSimulation
from ulna.simulation.batch.files import open_batch
from ulna.simulation.batch.run import BatchRun
from ulna.simulation.batch.simulate import simulate_batch
from ulna.simulation.batch.status import Statuses
from ulna.simulation.compiled import CompiledArm, compiled
from ulna.simulation.files import open_run
from ulna.simulation.run import Energies, Run
from ulna.simulation.sensors import Sensors
from ulna.simulation.simulate import simulate
from ulna.simulation.simulation import Simulation
from ulna.simulation.status import Contact, Event, Saturation, Status

__all__ = [
    "BatchRun",
    "BatchSimulation",
    "CompiledArm",
    "Contact",
    "Energies",
    "Event",
    "Run",
    "Saturation",
    "Sensors",
    "Simulation",
    "Status",
    "Statuses",
    "compiled",
    "disturbances",
    "open_batch",
    "open_run",
    "simulate",
    "simulate_batch",
]
