"""Command lines: right ones with words left out, repeated, exchanged, and values of any kind."""

import typer

from ulna.cli.app import app

ARM = b"format = 1\n[[link]]\nlength = 0.5\nmass = 1\n[[link]]\nlength = 0.4\nmass = 1\n"
LINES = [
    "new|fresh.toml|--links|3", "new|fresh.py", "list|arms", "list|motors|--json",
    "check|arm.toml", "check|kehl|--json", "pose|arm.toml|--q|40 deg, -60 deg|--explain",
    "pose|unit|--q|0.1, 0.2|--plot|out.png", "reach|unit|--to|0.5, 1.2|--json",
    "reach|arm.toml|--to|0.3, 0.2|--explain",
    "hold|unit|--q|10 deg, 20 deg|--tip-force|10, 0 N|--payload|200 g",
    "simulate|unit|--q0|40 deg, -60 deg|--duration|0.05 s|--torque|3 N*m, 5*sin(t)|--json",
    "simulate|arm.toml|--q0|0, 0|--duration|0.05 s|--method|rk4|--dt|1 ms|--out|out.nc|--csv",
    "simulate|unit|--q0|0, 0|--duration|0.05 s|--controller|PD()|--reference|0.1, 0|--json",
    "simulate|unit|--q0|0, 0|--duration|0.05 s|--disturbance|step(torque=(1, 0), at='10 ms')",
    "simulate|unit|--q0|0, 0|--duration|0.05 s|--controller|PD()|--reference|0.1, 0"
    "|--angles|absolute|--sensors|Sensors(angle_noise='0.1 deg', delay='2 ms')",
    "reach|unit|--to|0.5, 1.2|--elbow|up|--angles|absolute",
    "simulate|bechard-1|--q0|0|--duration|50 ms|--dynamics|sequential|--sequential-damping|0.5"
    "|--samples|5",
    "plan|unit|circle(center=(1, 0.2), radius='5 cm')|--duration|1 s|--elbow|up|--out|folder",
    "plan|unit|line((1, 0), (1.2, 0.3))|--max-speed|50 cm/s|--timing|quintic|--out|folder",
    "show|run.nc|--json", "derive|--links|1|--format|c", "info",
]  # fmt: skip
# Options whose larger values are work that takes longer, and no fault.
LONG = {
    "--duration", "--dt", "--film", "--film-speed", "--samples", "--links", "--basins", "--rate",
    "--max-speed", "--max-acceleration",
}  # fmt: skip


def options():
    """Give the options of each command, but those that take long."""
    group = typer.main.get_command(app)
    commands = {name: group.get_command(None, name) for name in group.list_commands(None)}
    return {
        name: [word for option in command.params for word in option.opts if word[:2] == "--"]
        for name, command in commands.items()
    }


KNOWN = {name: sorted(set(words) - LONG) for name, words in options().items()}


def changed(dice, words, nasty, mutated):
    """Change a command line in one place."""
    words = words or ["info"]
    place = dice.randrange(1, len(words)) if len(words) > 1 else 0
    change = dice.choice(
        ["value", "value", "mutate", "leave out", "repeat", "option", "swap", "insert"]
    )
    if words[place - 1] in LONG and change in ("value", "mutate"):
        return [
            *words[:place],
            dice.choice(["0", "-1 s", "nan", "1 kg", "", "abc", "1e-300"]),
            *words[place + 1 :],
        ]
    new = {
        "value": [dice.choice(nasty)],
        "mutate": [mutated(dice, words[place], most=1)],
        "leave out": [],
        "repeat": [words[place]] * 2,
        "option": [words[place], dice.choice(KNOWN.get(words[0]) or ["--json"])],
        "swap": [dice.choice(words[1:] or words)],
        "insert": [dice.choice(nasty), words[place]],
    }[change]
    return [*words[:place], *new, *words[place + 1 :]]


def test_no_command_line_brings_ulna_down(fuzz, tools):
    def case(words):
        # Nothing is to be written outside of the folder that the command runs in.
        words = [word.lstrip("/").replace("../", "") for word in words]
        return tools.case(*words, files={"arm.toml": ARM}, outputs=["*"])

    def draw(dice):
        words = dice.choice(LINES).split("|")
        for _ in range(dice.choice([1, 1, 2, 3])):
            words = changed(dice, words, tools.nasty, tools.mutated)
        return case(words)

    fuzz([case(line.split("|")) for line in LINES if not line.startswith("show")], draw, 45)
