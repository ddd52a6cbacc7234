"""Portraits in reports: what figures show, on the same page of the cylinder, with few numbers."""

import json
import math
import zlib

import numpy as np
import pytest

import ulna
from refusals import names_of
from ulna.viewer.report_page import document
from ulna.viewer.report_portrait import TOLERANCE
from web_columns import unpacked

TURN = 2.0 * math.pi


class Read:
    """The phase plane of a document, with its columns unpacked as a page does it."""

    def __init__(self, made):
        self.header = json.loads(made.json)
        (self.plane,) = self.header["planes"]
        self.columns = unpacked(self.header, zlib.decompress(made.data))

    def curves(self, role):
        """Give the curves of a role (k, 2)."""
        found = [one for one in self.plane["curves"] if one["role"] == role]
        return [np.stack([self.columns[one[axis]] for axis in "xy"], axis=-1) for one in found]

    def points(self, role):
        return [(one["x"], one["y"]) for one in self.plane["points"] if one["role"] == role]


@pytest.fixture(scope="module")
def portrait():
    """A motor too weak to lift the arm, and starts on both sides of the separatrix."""
    starts = [(0.0, 1.0), (0.0, 3.2)]
    return ulna.portrait(ulna.preset("bechard-1"), torque=4.0, starts=starts)


@pytest.fixture(scope="module")
def basins(portrait):
    return portrait.basins((40, 30), progress=False)


@pytest.fixture(scope="module")
def page(portrait, basins):
    return Read(document(portrait, basins=basins))


def test_the_page_is_one_turn_whatever_runs_on(portrait, page):
    assert np.ptp(portrait.orbits[1].run.q) > 10.0 * TURN
    assert page.plane["range"] == {"x": [-math.pi, math.pi], "y": list(portrait.speeds)}
    for one in page.plane["curves"]:
        x = page.columns[one["x"]]
        assert np.nanmin(x) >= -math.pi - 1e-6
        assert np.nanmax(x) <= math.pi + 1e-6
        assert np.nanmax(np.abs(np.diff(x)), initial=0.0) <= TURN * (0.5 + (len(x) == 2))


def test_few_points_are_kept_and_lines_between_them_pass_all_others(portrait, page):
    (line, _) = page.curves("orbit")
    run = portrait.orbits[0].run
    assert len(line) < 0.5 * len(run.t)
    size = np.array([TURN, np.ptp(portrait.speeds)])
    line = line / size
    for place in np.stack([run.q[:, 0], run.qd[:, 0]], axis=-1)[::20] / size:
        step, from_start = np.diff(line, axis=0), place - line[:-1]
        along = np.clip((from_start * step).sum(axis=1) / (step**2).sum(axis=1), 0.0, 1.0)
        away = np.hypot(*(from_start - along[:, None] * step).T).min()
        assert away < TOLERANCE + 1e-6  # and half a bit of a 32-bit float


def test_separatrices_equilibria_and_starts_are_those_of_the_portrait(portrait, page):
    well, saddle = portrait.equilibria
    assert page.points("stable") == [(well.angle, 0.0)]
    assert page.points("saddle") == [(saddle.angle, 0.0)]
    assert page.points("start") == list(portrait.starts)
    counts = [len(page.curves(role)) for role in ("incoming", "outgoing", "orbit")]
    assert counts == [2, 2, 2]
    # What flows into the saddle ends there.
    for line in page.curves("incoming"):
        ends = np.hypot(*(line - [saddle.angle, 0.0]).T)
        assert np.nanmin(ends) < 1e-4


def test_the_field_is_the_motion_of_the_joint(page):
    x, y, dx, dy = (page.columns[page.plane["field"][name]] for name in ("x", "y", "dx", "dy"))
    np.testing.assert_array_equal(dx, y)
    push = 4.0 - 0.2 * y.astype(float) - 9.81 * np.cos(x.astype(float))  # M = 1 kg·m²
    np.testing.assert_allclose(dy, push, atol=1e-5)


def test_basins_are_bytes_that_name_their_fates(portrait, basins, page):
    areas = page.plane["areas"]
    cells = page.columns[areas["cells"]].reshape(30, 40)
    assert cells.dtype == np.uint8
    assert areas["extent"] == pytest.approx([*portrait.angles, *portrait.speeds])
    tints = areas["tints"]
    for place in np.ndindex(cells.shape):
        odd = ", in an odd turn" if basins.turns[place] % 2 else ""
        assert tints[cells[place]]["label"] == f"basin: {basins.names[basins.label[place]]}{odd}"
    # A basin has one hue, which no other has.
    assert len({one["color"] for one in tints}) == len(
        {one["label"].split(",")[0] for one in tints}
    )
    (table,) = [one for one in page.header["tables"] if one["title"] == "Basins of attraction"]
    assert sum(float(row[1].rstrip("%")) for row in table["rows"]) == pytest.approx(100.0, abs=0.2)


def test_many_cells_are_shown_by_fewer(portrait):
    rng = np.random.default_rng(3)
    corner = rng.integers(0, 2, (4, 1))
    label = np.repeat(np.repeat(corner, 500, axis=0), 3, axis=1).astype(np.int8)
    basins = ulna.analysis.portraits.Basins(
        np.linspace(-3.0, 3.0, 3), np.linspace(-9.0, 9.0, 2000), label, 0 * label, ("a", "b")
    )
    read = Read(document(portrait, basins=basins))
    areas = read.plane["areas"]
    cells = read.columns[areas["cells"]].reshape(-1, areas["columns"])
    assert cells.shape == (1000, 3)
    assert np.array_equal(cells[::250], np.repeat(corner, 3, axis=1))
    assert "The page shows 3 × 1,000 of 3 × 2,000 starts." in read.header["notes"]


def test_an_unrolled_page_has_its_copies_and_a_chart_its_turns(portrait, page):
    wide = ulna.portrait(portrait.arm, torque=4.0, starts=portrait.starts, angles=(-TURN, TURN))
    read = Read(document(wide))
    assert read.plane["range"]["x"] == [-TURN, TURN]
    assert len(read.points("stable")) == len(read.points("saddle")) == 2
    assert "areas" not in read.plane
    charts = [one.header["charts"][0]["series"][1]["y"] for one in (read, page)]
    assert np.nanmax(read.columns[charts[0]]) > 10.0 * TURN
    # That of one turn keeps swings readable.
    assert np.nanmax(np.abs(page.columns[charts[1]])) <= math.pi + 1e-6


def test_friction_shows_where_it_holds_the_joint():
    joint = ulna.Joint(friction=ulna.Friction(coulomb=1.0))
    arm = ulna.preset("bechard-1").replace(joints=[joint])
    sticky = ulna.portrait(arm, starts=[(0.3, 1.0)], speeds=(-6.0, 6.0), duration=15.0)
    read = Read(document(sticky))
    held = [sorted(line[:, 0]) for line in read.curves("sticking")]
    wanted = [[one.lower, one.upper] for one in sticky.sticking]
    np.testing.assert_allclose(held, wanted, atol=1e-6)
    assert read.points("stop") == [(sticky.orbits[0].run.q[-1, 0], 0.0)]


def test_only_portraits_have_basins_and_the_script_computes_them_too(portrait, basins, page):
    assert "basins = portrait.basins((40, 30))" in page.header["repeat"]["script"]
    assert names_of(lambda: document(portrait.orbits[0].run, basins=basins)) == ["basins"]
