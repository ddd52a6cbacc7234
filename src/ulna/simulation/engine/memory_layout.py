"""The layout of the engine's memory: what each entry of its arrays is, and the codes they hold.

The memory is a few arrays (see `memory.py`), because every array that is passed to a compiled
function has its price. An entry is declared once, by name, size and meaning, one after the other;
its constant is its offset, which compiled code has as a number. `ENTRIES` lists them all.
"""

from __future__ import annotations

from typing import NamedTuple

from ulna.dynamics.packed import COLUMNS as LINK_COLUMNS
from ulna.dynamics.packed import FORCE_X
from ulna.scenario.tableaux import BY_KERNEL as BY_KERNEL
from ulna.scenario.tableaux import CHAINED as CHAINED
from ulna.scenario.tableaux import COUNT_DENSE as COUNT_DENSE
from ulna.scenario.tableaux import COUNT_DERIVATIVES as COUNT_DERIVATIVES
from ulna.scenario.tableaux import NODE as NODE
from ulna.scenario.tableaux import TABLEAU as TABLEAU
from ulna.scenario.tableaux import WEIGHTS as WEIGHTS

AXES = 3  # of what acts on the tip: x, y, moment


class MemoryEntry(NamedTuple):
    """One or several places of an array, in a row."""

    array: str
    name: str
    start: int
    size: int
    meaning: str


ENTRIES: list[MemoryEntry] = []


class _MemoryLayout:
    """The entries of an array, one after the other."""

    def __init__(self, array: str, start: int = 0) -> None:
        self.array, self.end = array, start

    def put(self, name: str, meaning: str, size: int = 1) -> int:
        """Declare the next entry; return where it begins."""
        entry = MemoryEntry(self.array, name, self.end, size, meaning)
        ENTRIES.append(entry)
        self.end += size
        return entry.start


# Pairs of rows: joint angles and rates, and in the last column the work [J] supplied and
# dissipated since the start. Both are integrated alike.
_rows = _MemoryLayout("vectors (rows, n+1)")
STATE = _rows.put("STATE", "the state at the start of the step", 2)
STAGE = _rows.put("STAGE", "the state whose derivative is computed", 2)
TRIAL = _rows.put("TRIAL", "the state after the step, as the method returns it", 2)
NEXT_STATE = _rows.put("NEXT_STATE", "the same once accepted, or at an event before it", 2)
COMPENSATION = _rows.put("COMPENSATION", "rounding errors of sums, carried on", 2)
DERIVATIVES = _rows.put("DERIVATIVES", "of the stages of the step", 2 * COUNT_DERIVATIVES)
DENSE = _rows.put("DENSE", "the polynomial between the ends of a step", 2 * COUNT_DENSE)
# A step that is taken once more in two halves.
SAVED_STATE = _rows.put("SAVED_STATE", "the start of a step that is taken again in halves", 2)
HALF_STEPS = _rows.put("HALF_STEPS", "the end of the two halves", 2)
VECTORS = _rows.end
# Arms with motors have the same rows three times more, a layer each. Joints: currents [A] and
# temperatures [°C]; angles and rates of rotors that move by themselves; currents [A] up to which
# torques have followed, of those that settle within a step. Last column: energies [J] from and back
# to the supply; heat of windings and of conversion; of gears and of teeth in contact.
ELECTRIC, ROTORS, GEARS = VECTORS, 2 * VECTORS, 3 * VECTORS
LAYERS = 4
# Indices of derivatives: at the start of a step, at a second point, at the end of a DOP853 step,
# and one that no method needs any more. (Code is compiled once more for every literal number that
# is passed on, but not for a name of this module.)
FIRST, SECOND, LAST, SCRATCH = 0, 1, 12, 15
END = DERIVATIVES + 2 * LAST
# Of the Gauss method: the derivatives that are solved for, those of the previous step, new ones.
NEW = 4
SOLVED_ROW, PREVIOUS_ROW, NEW_ROW = DERIVATIVES, DERIVATIVES + 4, DERIVATIVES + 8

# Columns besides those of the dynamics (`dynamics/packed.py`).
_link = _MemoryLayout("links (n, columns)", LINK_COLUMNS)
HOLD = _link.put("HOLD", "the torque that is held [N·m]")
RAMP = _link.put("RAMP", "its rate [N·m/s]")
LIVE = _link.put("LIVE", "the torque of formulas and functions [N·m]")
TORQUE_LIMIT = _link.put("TORQUE_LIMIT", "the largest that a controller may command [N·m]")
SIDE = _link.put("SIDE", "+1 or −1 where the joint rests at its upper or lower stop, else 0")
LAST_HIT = _link.put("LAST_HIT", "when the joint last hit a stop [s]")
IMPLICIT = _link.put("IMPLICIT", "what neighbours exchange if damping is taken implicitly", 4)
RATE = _link.put("RATE", "of the joint at the start of a part of a step [rad/s]")
NEXT_RATE = _link.put("NEXT_RATE", "at its end [rad/s]")
UNDISTURBED = _link.put("UNDISTURBED", "what is held without disturbances [N·m]")
DISTURBANCE_TORQUE = _link.put("DISTURBANCE_TORQUE", "disturbances alone [N·m]")
HELD_DISTURBANCE = _link.put("HELD_DISTURBANCE", "those of them that are held [N·m]")
ACTUATED = _link.put("ACTUATED", "the torque that actuators give a controller's commands [N·m]")
MOTOR = _link.put("MOTOR", "the motor's torque of a sample, without disturbances [N·m]")
DRIFT = _link.put("DRIFT", "signed error of the joint in the steps that were checked [rad]")
COLUMNS = _link.end

# Of the motor of a joint, in `per_arm` from MOTOR_ROWS on; at the joint, if nothing else is said.
_motor = _MemoryLayout("motors (n, columns), in per_arm from MOTOR_ROWS on")
SUPPLY = _motor.put("SUPPLY", "the most voltage [V]")
RESISTANCE = _motor.put("RESISTANCE", "of the winding [Ω], at 25 °C")
TORQUE_CONSTANT = _motor.put("TORQUE_CONSTANT", "torque per current [N·m/A]")
CURRENT_PER_TORQUE = _motor.put("CURRENT_PER_TORQUE", "its inverse [A/(N·m)]")
EMF_CONSTANT = _motor.put("EMF_CONSTANT", "voltage per rate [V·s/rad]")
INDUCTANCE = _motor.put("INDUCTANCE", "of the winding [H]")
MOST_CURRENT = _motor.put("MOST_CURRENT", "that the driver gives [A]")
FORWARD_LOSS = _motor.put("FORWARD_LOSS", "of the torque in a gear that the motor drives")
BACK_LOSS = _motor.put("BACK_LOSS", "what a gear adds to the torque of a motor that brakes")
THERMAL_RESISTANCE = _motor.put("THERMAL_RESISTANCE", "of the winding [K/W]")
THERMAL_CAPACITY = _motor.put("THERMAL_CAPACITY", "of the winding [J/K]")
MOST_TEMPERATURE = _motor.put("MOST_TEMPERATURE", "of the winding [°C]")
DERATING_START = _motor.put("DERATING_START", "from where on the driver lowers the current [°C]")
AMBIENT = _motor.put("AMBIENT", "temperature of the surroundings [°C]")
COPPER = _motor.put("COPPER", "by which the resistance grows [1/K]")
MAGNET = _motor.put("MAGNET", "by which the constants change [1/K]")
STALL_TORQUE = _motor.put("STALL_TORQUE", "at rest; of a stepper, its holding torque [N·m]")
NO_LOAD_SPEED = _motor.put("NO_LOAD_SPEED", "at which no torque is left [rad/s]")
MOST_TORQUE = _motor.put("MOST_TORQUE", "that the driver gives [N·m]")
STIFFNESS = _motor.put("STIFFNESS", "of a position loop [N·m/rad]")
INNER_DAMPING = _motor.put("INNER_DAMPING", "of a position loop [N·m·s/rad]")
TARGET_SPEED = _motor.put("TARGET_SPEED", "at which its target moves [rad/s]")
DEAD_BAND = _motor.put("DEAD_BAND", "the error that it leaves alone [rad]")
STEP_ANGLE = _motor.put("STEP_ANGLE", "a full step [rad]")
MICROSTEP = _motor.put("MICROSTEP", "the part of it that is commanded [rad]")
CORNER_SPEED = _motor.put("CORNER_SPEED", "up to which a stepper has its full torque [rad/s]")
HALF_GAP = _motor.put("HALF_GAP", "half the backlash [rad]")
CONTACT_STIFFNESS = _motor.put("CONTACT_STIFFNESS", "of teeth in contact [N·m/rad]")
CONTACT_DAMPING = _motor.put("CONTACT_DAMPING", "of them, per radian [N·m·s/rad²]")
ROTOR = _motor.put("ROTOR", "inertia of a rotor that moves by itself [kg·m²]")
RATIO = _motor.put("RATIO", "turns of it per turn of the joint")
LATCHED = _motor.put("LATCHED", "the position that was commanded last [rad]")
TARGET_START = _motor.put("TARGET_START", "that of the target then [rad]")
SEEN_RATE = _motor.put("SEEN_RATE", "the rate that the controller measured last [rad/s]")
WARM_RESISTANCE = _motor.put("WARM_RESISTANCE", "at the present temperature [Ω]")
WARM_CONDUCTANCE = _motor.put("WARM_CONDUCTANCE", "its inverse [1/Ω]")
WARM_TORQUE = _motor.put("WARM_TORQUE", "torque per current at it [N·m/A]")
WARM_EMF = _motor.put("WARM_EMF", "voltage per rate at it [V·s/rad]")
STEADY_CURRENT = _motor.put("STEADY_CURRENT", "to which the current tends [A]")
STEADY_START = _motor.put("STEADY_START", "the same at the start of the step [A]")
TRANSIENT = _motor.put("TRANSIENT", "mean over a step of what a current is off it at first [A]")
AMPERES = _motor.put("AMPERES", "the current [A]")
VOLTS = _motor.put("VOLTS", "the voltage of the driver [V]")
DRIVING = _motor.put("DRIVING", "the motor's own torque [N·m]")
LIMITED = _motor.put("LIMITED", "1 where it gives less than is asked of it, or more")
START_TORQUE = _motor.put("START_TORQUE", "at the start of the step [N·m]")
START_AMPERES = _motor.put("START_AMPERES", "at the start of the step [A]")
START_VOLTS = _motor.put("START_VOLTS", "at the start of the step [V]")
POWER = _motor.put("POWER", "of a number, while it is computed")
# Places where the law of a motor switches: its branch, how far it is from the next one, and how far
# it was at the two samples before.
(
    AT_BAND, AT_UPPER, AT_LOWER, AT_GIVEN, AT_GEAR, AT_TEETH, AT_PRESS, SWITCH_COUNT,
) = range(8)  # fmt: skip
BRANCH, MARGIN, LAST_MARGIN, OLDER_MARGIN, SWITCH_FIELDS = range(5)
SWITCHES = _motor.put("SWITCHES", "branches and margins", SWITCH_COUNT * SWITCH_FIELDS)
MOTOR_COLUMNS = _motor.end
# Of the motor of a joint, in `ints` from MOTOR_CODES on: its kind, how its current is found, what
# it is given, and whether it has parts that few have.
MOTOR_KIND, CURRENT_BY, GIVEN, WARMS, DERATES, HAS_BACKLASH, CODES_OF_MOTOR = range(7)
IDEAL, TORQUE_SPEED, DC, SERVO, STEPPER = range(5)
# By a driver that sets it; by a voltage without inductance; with one, integrated; or, where it
# settles within a step, exactly for a rate that changes evenly.
SET_BY_DRIVER, BY_VOLTAGE, INTEGRATED, SETTLING = range(4)
GIVEN_TORQUE, GIVEN_CURRENT, GIVEN_VOLTAGE, GIVEN_POSITION = range(4)

# Columns of the row after the last link, which holds what is the arm's.
_tip = _MemoryLayout("links (last row)", FORCE_X + AXES)
TIP_HOLD = _tip.put("TIP_HOLD", "force and moment on the tip that are held [N, N·m]", AXES)
TIP_RAMP = _tip.put("TIP_RAMP", "their rates", AXES)
TIP_LIVE = _tip.put("TIP_LIVE", "those of formulas and functions", AXES)
ACTIVE = _tip.put("ACTIVE", "1 where an arm in lanes is active")
VALID = _tip.put("VALID", "1 where the state after the step is valid")
FALLBACK = _tip.put("FALLBACK", "1 where an arm in lanes took the step by itself")
TIP_UNDISTURBED = _tip.put("TIP_UNDISTURBED", "what is held without disturbances", AXES)
TIP_DISTURBANCE = _tip.put("TIP_DISTURBANCE", "disturbances alone", AXES)
TIP_HELD = _tip.put("TIP_HELD", "those of them that are held", AXES)
ERROR = _tip.put("ERROR", "of the angles at the end, from the steps that were checked [rad]")

_float = _MemoryLayout("floats")
NOW = _float.put("NOW", "the time [s]")
HOLD_START = _float.put("HOLD_START", "since when inputs are held [s]")
STOP = _float.put("STOP", "the end of the segment [s]")
PLAN_START = _float.put("PLAN_START", "from where equal steps are counted [s]")
STEP = _float.put("STEP", "the length of the next adaptive step [s]")
LAST_STEP = _float.put("LAST_STEP", "that of the last step of the Gauss method [s]")
TARGET = _float.put("TARGET", "the end of the run [s]")
PERIOD = _float.put("PERIOD", "of the controller [s]")
DT = _float.put("DT", "the step of the user [s]")
SUBSTEP = _float.put("SUBSTEP", "the longest of equal steps [s]: DT, or a part of it")
MAX_STEP = _float.put("MAX_STEP", "the longest adaptive step [s]")
RTOL = _float.put("RTOL", "relative tolerance")
ATOL = _float.put("ATOL", "absolute tolerance [rad, rad/s]")
RESTITUTION = _float.put("RESTITUTION", "the part of its speed that a joint keeps at a stop")
STEP_END = _float.put("STEP_END", "the end of the step [s]")
SIGNAL_TIME = _float.put("SIGNAL_TIME", "the time of the signals [s]")
WINDOW = _float.put("WINDOW", "the longest time in which no event changes its sign twice [s]")
FINEST = _float.put("FINEST", "the shortest window that is tried [s]")
MOST_ERROR = _float.put("MOST_ERROR", "the error from which on steps count as too long [rad]")
EDGE_T = _float.put("EDGE_T", "the last sample but one of the last window [s]: its values, EDGE")
EDGE_END = _float.put("EDGE_END", "the last sample of the last window [s]")
LONGEST = _float.put("LONGEST", "the longest window [s]")
FOUND = _float.put("FOUND", "where in a step the first event is, from 0 to 1")
STEP_START = _float.put("STEP_START", "the start of the step whose stages are computed [s]")
MOTOR_ERROR = _float.put("MOTOR_ERROR", "of the motors in a step, in units of the tolerance")
SAMPLE_PERIOD = _float.put("SAMPLE_PERIOD", "of sensors [s]")
SAMPLE_PHASE = _float.put("SAMPLE_PHASE", "when the first of their regular samples is taken [s]")
SAMPLE_LAG = _float.put("SAMPLE_LAG", "how late a sample is, and that phase, in sample periods")
SAMPLE_EDGE = _float.put("SAMPLE_EDGE", "when the next sample is taken [s]")
RATE_SHARE = _float.put("RATE_SHARE", "of a new difference of angles in the rate; 0: measured")
COMMAND_DELAY = _float.put("COMMAND_DELAY", "of actuators [s]")
COMMAND_EDGE = _float.put("COMMAND_EDGE", "when a command next arrives, or a torque bends [s]")
LAG_START = _float.put("LAG_START", "when the present command arrived [s]")
FLOATS = _float.end

_int = _MemoryLayout("ints")
METHOD = _int.put("METHOD", "how steps are taken: CHAINED, TABLEAU or BY_KERNEL")
DYNAMICS = _int.put("DYNAMICS", "FULL or SEQUENTIAL")
COUPLED = _int.put(
    "COUPLED", "not 0 where the plain recursion does not do: rotors, friction, held joints"
)
INPUTS = _int.put("INPUTS", "STEADY, or TEXT, PYTHON, LAGGED, WAVES: what changes all the time")
ADAPTIVE = _int.put("ADAPTIVE", "whether the method chooses its steps")
STAGES = _int.put("STAGES", "of an explicit method")
STOPS = _int.put("STOPS", "whether joints have stops")
FRICTIONAL = _int.put("FRICTIONAL", "whether joints have dry friction or drag")
WATCHING = _int.put("WATCHING", "whether there are stops, friction or events")
CONTROLLED = _int.put("CONTROLLED", "NO_CONTROLLER, COMPILED_CONTROLLER or PYTHON_CONTROLLER")
SAMPLE_ROOM = _int.put("SAMPLE_ROOM", "how many samples of sensors are kept")
SAMPLE_OFFSET = _int.put("SAMPLE_OFFSET", "1 where a sample at the start precedes the regular ones")
SAMPLES_TAKEN = _int.put("SAMPLES_TAKEN", "by sensors so far")
COMMANDS = _int.put("COMMANDS", "of a controller so far that actuators have")
ARRIVED = _int.put("ARRIVED", "those that have arrived")
COMMAND_ROOM = _int.put("COMMAND_ROOM", "how many of them are kept")
FSAL_VALID = _int.put("FSAL_VALID", "whether what the last step left is of use for the next")
OPEN = _int.put("OPEN", "whether a segment has begun")
STEP_INDEX = _int.put("STEP_INDEX", "the next of equal steps")
STEP_COUNT = _int.put("STEP_COUNT", "how many there are in the segment")
CUT = _int.put("CUT", "whether the present one ends early, at a bend of a torque")
STEPS = _int.put("STEPS", "steps so far")
EVALUATIONS = _int.put("EVALUATIONS", "of the state derivative so far")
REJECTED = _int.put("REJECTED", "steps that were rejected so far")
FAULT = _int.put("FAULT", "not 0 once a Python function has failed")
IDLE = _int.put("IDLE", "events in a row that let no time pass")
TICK = _int.put("TICK", "the controller's next")
MEASURED = _int.put("MEASURED", "whether it has its measurement")
ANSWERED = _int.put("ANSWERED", "whether Python has answered")
FIRST_REFERENCE = _int.put("FIRST_REFERENCE", "the tick of the first row of the reference table")
KEPT = _int.put("KEPT", "KEEP_CONTROL and KEEP_DISTURBANCES: optional columns of samples")
SAMPLE = _int.put("SAMPLE", "the next")
LOGGED = _int.put("LOGGED", "entries of the log so far")
CHATTER = _int.put("CHATTER", "hits in quick succession so far")
INPUT_CALL = _int.put("INPUT_CALL", "the address of Python's inputs")
EVENT_CALL = _int.put("EVENT_CALL", "that of its events")
LAW_CALL = _int.put("LAW_CALL", "that of a compiled control law")
# Where in `per_arm`, `floats` or `ints` an array begins, and how long it is. Two tables, of torques
# and of forces on the tip, are described one after the other.
TIMES, ROWS, LENGTH, LINEAR, ROW, TABLE_FIELDS = range(6)
TORQUES, FORCES = range(2)
TABLES = _int.put(
    "TABLES", "times, rows, number, whether linear, the present one", 2 * TABLE_FIELDS
)
EDGES = _int.put("EDGES", "where in `floats` disturbances begin, end and draw")
SIZES = _int.put("SIZES", "where in `per_arm` they say how large they are")
SEEDS = _int.put("SEEDS", "where in `ints` they say what they draw from")
DISTURBANCES = _int.put("DISTURBANCES", "how many there are")
CODES = _int.put("CODES", "where in `ints` formulas are")
CONSTANTS = _int.put("CONSTANTS", "where in `per_arm` their numbers are")
SPANS = _int.put("SPANS", "where in `ints` each says what it drives, its first and its last code")
FORMULAS = _int.put("FORMULAS", "how many there are")
VALUES = _int.put("VALUES", "where in `per_arm` is what they may name")
STACK = _int.put("STACK", "where in `per_arm` they are evaluated")
BEFORE = _int.put("BEFORE", "where in `floats` signals at the start of the step are")
SIGNALS = _int.put("SIGNALS", "where in `floats` signals now are: of stops, events, friction")
LIVE_SIGNALS = _int.put("LIVE_SIGNALS", "where in `floats` Python writes its events")
DIRECTIONS = _int.put("DIRECTIONS", "where in `ints` events say which changes of sign count")
ENDS = _int.put("ENDS", "where in `ints` they say whether they end the run")
EVENTS = _int.put("EVENTS", "how many there are")
SENSOR = _int.put("SENSOR", "where in `per_arm` bias, deviations, resolutions of sensors are")
PAST = _int.put("PAST", "where in `per_arm` samples of sensors are")
ACTUATOR = _int.put("ACTUATOR", "where in `per_arm` actuators are, ACTUATOR_FIELDS a joint")
QUEUE = _int.put("QUEUE", "where in `per_arm` commands are that have not arrived")
LAG_STATE = _int.put("LAG_STATE", "where in `per_arm` command and torque at LAG_START are")
LAGS = _int.put("LAGS", "whether there are actuators")
WAVES = _int.put("WAVES", "how many formulas of disturbances there are, behind the others")
SENSOR_SEED = _int.put("SENSOR_SEED", "of their noise")
CONSTANT_INPUTS = _int.put("CONSTANT_INPUTS", "whether tables have one row, and nothing disturbs")
PERFECT = _int.put("PERFECT", "whether sensors are perfect and without delay")
TIP_NAMED = _int.put("TIP_NAMED", "whether formulas name the tip")
DRAWN = _int.put("DRAWN", "where in `per_arm` a random number is written")
BLOCK = _int.put("BLOCK", "the present block of arms in lanes")
LAST_BLOCK = _int.put("LAST_BLOCK", "the one to stop before")
LOADED = _int.put("LOADED", "whether it is loaded")
RETIRED = _int.put("RETIRED", "how many of its lanes are retired")
SETPOINT = _int.put("SETPOINT", "whether the reference is a constant set-point")
SCALAR_CALL = _int.put("SCALAR_CALL", "the address of the kernel that takes a scalar step")
CHANGING = _int.put("CHANGING", "whether inputs change inside of a segment")
NOTED = _int.put("NOTED", "where in `floats` the notes about a controller are")
UNCHECKED = _int.put("UNCHECKED", "in how many steps the next is checked for its error")
CHECK_INTERVAL = _int.put("CHECK_INTERVAL", "and after how many the one after that")
ALIASED = _int.put("ALIASED", "the event, from 1, that changes its sign too fast to be followed")
SKIPPED = _int.put("SKIPPED", "the one that may have done so unseen for a while")
SUSPECT = _int.put("SUSPECT", "the one that did last")
LATEST = _int.put("LATEST", "where in `floats` the latest values of events in a window are")
OLDER = _int.put("OLDER", "where in `floats` those before are")
EDGE = _int.put("EDGE", "where in `floats` those at EDGE_T are")
CHANGES = _int.put("CHANGES", "where in `ints` their changes of sign are counted")
ITERATIVE = _int.put("ITERATIVE", "whether a step is solved by iterations, and may not converge")
SIGNED_ERRORS = _int.put("SIGNED_ERRORS", "whether the errors of steps cancel to and fro")
MOTORS = _int.put("MOTORS", "whether joints have motors other than ideal ones")
MOTOR_ROWS = _int.put("MOTOR_ROWS", "where in `per_arm` their numbers are")
MOTOR_CODES = _int.put("MOTOR_CODES", "where in `ints` their kinds are")
LATCHES = _int.put(
    "LATCHES", "where in `floats` servos have their periods, and how often they read"
)
SHOWN = _int.put("SHOWN", "where in `floats` motors show what samples hold of them")
SWITCHES_HELD = _int.put("SWITCHES_HELD", "whether laws of motors keep their branches: in a step")
SERVOS = _int.put("SERVOS", "how many servos there are")
WINDINGS = _int.put("WINDINGS", "whether currents or temperatures are integrated")
SETTLINGS = _int.put("SETTLINGS", "how many currents settle within a step")
IN_STEP = _int.put("IN_STEP", "whether a step is computed in which currents settle")
GEARED = _int.put("GEARED", "whether gears take a part of the torque")
BACKLASHES = _int.put("BACKLASHES", "how many gears have backlash")
# Addresses of parts of the engine, and those for scalar steps of an arm of a block.
PARTS = _int.end
LIVE_PART = _int.put("LIVE_PART", "the kernel of formulas and functions")
DYNAMICS_PART = _int.put("DYNAMICS_PART", "of sequential dynamics, and of those with motors")
SENSOR_PART = _int.put("SENSOR_PART", "of sensors")
DISTURB_PART = _int.put("DISTURB_PART", "of disturbances")
STEP_PART = _int.put("STEP_PART", "of a step, if METHOD is BY_KERNEL or there are motors")
KEEP_PART = _int.put("KEEP_PART", "of what is kept of an accepted step, if it is ITERATIVE")
WATCH_PART = _int.put("WATCH_PART", "of stops and events")
SLIDE_PART = _int.put("SLIDE_PART", "of the friction of joints that slide")
FRICTION_PART = _int.put("FRICTION_PART", "of joints that stick, and break away")
MOTOR_PART = _int.put("MOTOR_PART", "of motors")
ACCOUNT_PART = _int.put("ACCOUNT_PART", "of what motors of a single arm use, and when")
LAG_PART = _int.put("LAG_PART", "of torques that follow commands")
WAVE_PART = _int.put("WAVE_PART", "of disturbances that change continuously")
COMMAND_PART = _int.put("COMMAND_PART", "of commands that actuators take")
FALLBACK_PART = _int.put("FALLBACK_PART", "of scalar steps of arms in lanes")
SCALAR_PARTS = _int.put(
    "SCALAR_PARTS", "the same of an arm that takes a step by itself", _int.end - PARTS
)
INTS = _int.end
UPDATE_CONTACTS, FIND_EVENT, HANDLE_EVENTS = range(3)  # what the part for stops and events is to do
SETTLE, PROBE, MARGINS, LOOSEN = range(4)  # what the part for friction is to do
# What the part for motors is to do.
(
    DRIVE, WRITE_RATES, BEGIN_STEP, COMBINE, GAUSS_STAGE, GAUSS_UPDATE, GAUSS_END, EULER_END,
    READ_COMMANDS,
) = range(9)  # fmt: skip
# Of a single arm.
(
    WRITE_POWERS, PREPARE_DENSE, READ_DENSE, ESTIMATE_ERROR, NOTE_STEP, NOTE_HEAT, SHOW_START, SHOW,
) = range(8)  # fmt: skip
NONE = 0  # in place of a number that a task does not need
ENERGIES = 6  # of motors, in samples

# Of a controller, a number a joint each: places are multiples of n.
_note = _MemoryLayout("notes (times n), in floats from NOTED on")
REQUESTED = _note.put("REQUESTED", "the torque that it requested at its last tick [N·m]")
COMMANDED = _note.put("COMMANDED", "that with what was given besides [N·m]")
MEASUREMENT = _note.put("MEASUREMENT", "angles and rates that it measured", 2)
FOLLOWED = _note.put("FOLLOWED", "angles, rates and accelerations of its reference", 3)
SATURATED = _note.put("SATURATED", "whether the joint is at its torque limit")
EPISODES = _note.put("EPISODES", "how often it came there")
SATURATED_TIME = _note.put("SATURATED_TIME", "for how long in all until it last did [s]")
SATURATED_SINCE = _note.put("SATURATED_SINCE", "when it last did [s]")
SATURATED_FIRST = _note.put("SATURATED_FIRST", "when first [s]")
# Of friction, whether there is a controller or not.
STICKING = _note.put("STICKING", "whether the joint is held by friction")
STICKS = _note.put("STICKS", "how often it came to be")
STICKING_TIME = _note.put("STICKING_TIME", "for how long in all until it last did [s]")
STICKING_SINCE = _note.put("STICKING_SINCE", "when it last did [s]")
STICKING_FIRST = _note.put("STICKING_FIRST", "when first [s]")
# Of motors.
LIMITS = _note.put("LIMITS", "whether the motor is at its limits")
LIMIT_EPISODES = _note.put("LIMIT_EPISODES", "how often it came there")
LIMIT_TIME = _note.put("LIMIT_TIME", "for how long in all [s]")
LIMIT_FIRST = _note.put("LIMIT_FIRST", "when first [s]")
STALL_TIME = _note.put("STALL_TIME", "for how long it stood at its limits [s]")
STALL_FIRST = _note.put("STALL_FIRST", "when first [s]")
HOT_FIRST = _note.put("HOT_FIRST", "when its winding first was too hot [s]")
HOTTEST = _note.put("HOTTEST", "the highest temperature [°C]")
PEAK_CURRENT = _note.put("PEAK_CURRENT", "the largest current [A]")
PEAK_SUPPLY = _note.put("PEAK_SUPPLY", "the largest current from the supply [A]")
NOTES = _note.end
# Flags of the optional columns of samples: signals of the controller, disturbances, motors.
KEEP_CONTROL, KEEP_DISTURBANCES, KEEP_MOTORS = 1, 2, 4
KEPT_NOTES = SATURATED - COMMANDED

_log = _MemoryLayout("log (rows, columns)")
LOG_T = _log.put("LOG_T", "when [s]")
LOG_WHICH = _log.put("LOG_WHICH", "which joint or event")
LOG_WHAT = _log.put("LOG_WHAT", "HIT, REST, RELEASE or EVENT")
LOG_SPEED = _log.put("LOG_SPEED", "of a joint that hit its stop [rad/s]")
LOG_STATE = _log.end  # angles and rates
HIT, REST, RELEASE, EVENT = range(4)

# Kinds of sources of random numbers.
ANGLE_NOISE, RATE_NOISE, DISTURBANCE_NOISE = range(3)
SENSORS = 0  # their index: an arm has no second ones

FULL, SEQUENTIAL = range(2)
STEADY, TEXT, PYTHON, LAGGED, WAVING = 0, 1, 2, 4, 8
# Of an actuator: time constant, largest rate, resolution, largest command, and the distance [N·m]
# from which on the lag is slower than the rate.
ACTUATOR_FIELDS = 5
NO_CONTROLLER, COMPILED_CONTROLLER, PYTHON_CONTROLLER = range(3)

# Why the engine returned; AGAIN is a step that was rejected, to be tried with a shorter one.
BUDGET, REACHED, CONTROL, REFERENCE, STOPPED, DIVERGED, STALLED, FAULTY, CHATTERING = range(9)
AGAIN = 9
FINISH = -1  # in place of a budget: nothing is left but to record the end
# How an arm of a block ends that reached the target by steps which are too long, and how a run that
# makes no headway does.
COARSE, CRAWLING = range(10, 12)
