"""The layout of the engine's memory: offsets into its arrays, and the codes that they hold.

The memory is a few arrays (see `memory.py`), because every array that is passed to a compiled
function has its price.
"""

from __future__ import annotations

from ulna.dynamics.packed import COLUMNS as LINK_COLUMNS

# Rows of `vectors` (rows, n+1), in pairs: joint angles and rates, and in the last column the work
# [J] supplied and dissipated since the start. Both are integrated alike.
STATE, STAGE, TRIAL, NEXT_STATE, COMPENSATION = range(0, 10, 2)
DERIVATIVES = 10  # 16 pairs: as many as the largest method needs, its dense output included
COUNT_DERIVATIVES = 16
# Indices of derivatives: at the start of a step, at a second point, at the end of a DOP853 step,
# and one that no method needs any more. (Code is compiled once more for every literal number that
# is passed on, but not for a name of this module.)
FIRST, SECOND, LAST, SCRATCH = 0, 1, 12, 15
END = DERIVATIVES + 2 * LAST
NODE = WEIGHTS = COUNT_DERIVATIVES  # the tableau's column of nodes, and its row of weights
# Of the Gauss method: the derivatives that are solved for, those of the previous step, new ones.
NEW = 4
SOLVED_ROW, PREVIOUS_ROW, NEW_ROW = DERIVATIVES, DERIVATIVES + 4, DERIVATIVES + 8
DENSE = DERIVATIVES + 2 * COUNT_DERIVATIVES  # 7 pairs: the polynomial between the ends of a step
COUNT_DENSE = 7
# A step that is taken once more in two halves: its start, saved meanwhile, and its end.
SAVED_STATE = DENSE + 2 * COUNT_DENSE
HALF_STEPS = SAVED_STATE + 2
VECTORS = HALF_STEPS + 2

# Columns of `links` besides those of the dynamics: the torque that is held and its rate; the
# torque of formulas and functions; the largest that a controller may command; when the joint last
# hit a stop; the coupling of neighbours if damping is taken implicitly.
HOLD, RAMP, LIVE, TORQUE_LIMIT, LAST_HIT = range(LINK_COLUMNS, LINK_COLUMNS + 5)
IMPLICIT = LINK_COLUMNS + 5
RATE, NEXT_RATE = IMPLICIT + 4, IMPLICIT + 5  # of a joint at the ends of a part of a step
# Under disturbances: what is held without them, and they alone. And the motor's torque of a sample,
# which is without disturbances.
UNDISTURBED, DISTURBANCE_TORQUE, MOTOR = range(IMPLICIT + 6, IMPLICIT + 9)
DRIFT = IMPLICIT + 9  # [rad] signed error of the joint in the steps that were checked
COLUMNS = IMPLICIT + 10
# The same of the tip's force and moment, in the row after the last link.
TIP_HOLD, TIP_RAMP, TIP_LIVE = 15, 18, 21  # after the force itself, at 12
# There as well, of arms in lanes: 1 where one is active, where its state after the step is valid,
# and where it took the step by itself.
ACTIVE, VALID, FALLBACK = 24, 25, 26
TIP_UNDISTURBED, TIP_DISTURBANCE = 27, 30
ERROR = 33  # [rad] of the angles at the end, estimated from the steps that were checked

# Indices of `floats`.
NOW, HOLD_START, STOP, PLAN_START, STEP, LAST_STEP, TARGET, PERIOD = range(8)  # [s]
DT, MAX_STEP, RTOL, ATOL, RESTITUTION = range(8, 13)
STEP_END, SIGNAL_TIME = range(13, 15)  # [s] the end of the step, and the time of the signals
# [s] the longest time in which no event is known to change its sign twice, and the shortest that is
# tried; [rad] the error from which on steps count as too long.
WINDOW, FINEST, MOST_ERROR = range(15, 18)
# [s] the last two samples of the last window: the values at the former are at EDGE.
EDGE_T, EDGE_END = range(18, 20)
LONGEST = 20  # [s] that a window may be
FOUND = 21  # where in a step the first event is, from 0 to 1
FLOATS = 22

# Indices of `ints`: settings and switches,
METHOD, DYNAMICS, COUPLED, INPUTS, ADAPTIVE, STAGES, STOPS, WATCHING, CONTROLLED, DELAY = range(10)
# counters and cursors,
FSAL_VALID, OPEN, STEP_INDEX, STEP_COUNT, STEPS, EVALUATIONS, REJECTED, FAULT, IDLE = range(10, 19)
TICK, MEASURED, ANSWERED, FIRST_REFERENCE, KEPT, SAMPLE, LOGGED, CHATTER = range(19, 27)
# addresses of functions,
INPUT_CALL, EVENT_CALL, LAW_CALL = range(27, 30)
# and where in `per_arm`, `floats` or `ints` an array begins, and how long it is. Two tables, of
# torques and of forces on the tip, are described one after the other.
TABLES = 30  # of each: times, rows, number of rows, whether it is linear, the present row
TIMES, ROWS, LENGTH, LINEAR, ROW, TABLE_FIELDS = range(6)
TORQUES, FORCES = range(2)
AXES = 3  # of what acts on the tip: x, y, moment
EDGES, SIZES, SEEDS, DISTURBANCES = range(40, 44)
CODES, CONSTANTS, SPANS, FORMULAS, VALUES, STACK = range(44, 50)
BEFORE, SIGNALS, LIVE_SIGNALS, DIRECTIONS, ENDS, EVENTS = range(50, 56)
SENSOR, PAST, SENSOR_SEED = range(56, 59)
# Switches that make a controller's ticks shorter: tables never change and there are no
# disturbances; sensors are perfect and without delay.
CONSTANT_INPUTS, PERFECT = range(59, 61)
# Whether formulas name the tip; where a random number is written.
TIP_NAMED, DRAWN = range(61, 63)
# Of arms in lanes: the present block, the one to stop before, whether it is loaded, and how many of
# its lanes are retired.
BLOCK, LAST_BLOCK, LOADED, RETIRED = range(63, 67)
SETPOINT = 67  # whether the reference is a constant set-point
SCALAR_CALL = 68  # the address of the kernel that takes a scalar step
CHANGING = 69  # whether inputs change inside of a segment
NOTED = 70  # where in `floats` the notes about a controller are
# Of the error check: in how many steps the next one is, and the interval after that.
UNCHECKED, CHECK_INTERVAL = range(71, 73)
# Of events: which of them changes its sign too fast to be followed, which may have done so unseen
# for a while, and which did last (each counted from 1); where their values and changes are kept.
ALIASED, SKIPPED, SUSPECT, LATEST, OLDER, EDGE, CHANGES = range(73, 80)
# Addresses of parts of the engine, and those for scalar steps of an arm of a block.
PARTS = 80
(
    LIVE_PART, DYNAMICS_PART, SENSOR_PART, DISTURB_PART, STEP_PART, KEEP_PART, WATCH_PART,
    FALLBACK_PART,
) = range(PARTS, PARTS + 8)  # fmt: skip
SCALAR_PARTS = PARTS + 8
INTS = SCALAR_PARTS + 8
UPDATE_CONTACTS, FIND_EVENT, HANDLE_EVENTS = range(3)  # what the part for stops and events is to do

# The notes about a controller, each one a joint: the torque that it requested, and that with what
# was given besides; its measurement, and its reference, at its last tick; whether the joint
# is at its torque limit, how often it came there, for how long in all [s] until it last did, when
# it last did, and when first.
REQUESTED, COMMANDED, MEASUREMENT, FOLLOWED = 0, 1, 2, 4
SATURATED, EPISODES, SATURATED_TIME, SATURATED_SINCE, SATURATED_FIRST = range(7, 12)
NOTES = 12

# Flags of the optional columns of samples: signals of the controller, and disturbances.
KEEP_CONTROL, KEEP_DISTURBANCES = 1, 2
KEPT_NOTES = 6  # of the notes from COMMANDED on

# Kinds of sources of random numbers.
ANGLE_NOISE, RATE_NOISE, DISTURBANCE_NOISE = range(3)
SENSORS = 0  # their index: an arm has no second ones

# Methods, dynamics, sources of inputs that change continuously, kinds of controllers.
RK4, DOP853, SEMI_IMPLICIT, GAUSS4 = range(4)
FULL, SEQUENTIAL = range(2)
STEADY, TEXT, PYTHON = range(3)
NO_CONTROLLER, COMPILED_CONTROLLER, PYTHON_CONTROLLER = range(3)

# Why the engine returned; AGAIN is a step that was rejected, to be tried with a shorter one.
BUDGET, REACHED, CONTROL, REFERENCE, STOPPED, DIVERGED, STALLED, FAULTY, CHATTERING = range(9)
AGAIN = 9
FINISH = -1  # in place of a budget: nothing is left but to record the end
# How an arm of a block ends that reached the target by steps which are too long, and how a run that
# makes no headway does.
COARSE, CRAWLING = range(10, 12)

# What an entry of the log says, and its columns; the state follows.
HIT, REST, RELEASE, EVENT = range(4)
LOG_T, LOG_WHICH, LOG_WHAT, LOG_SPEED, LOG_STATE = range(5)
