"""Paths through the points of .csv files, and what is told about files that hold none."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import ulna
from ulna.errors import FileError, InputError

SQUARE = np.array([[0.1, 0.0], [0.2, 0.0], [0.2, 0.1], [0.1, 0.1]])


@pytest.fixture
def wrote(tmp_path):
    def write(text, name="points.csv"):
        file = tmp_path / name
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return file

    return write


def table(rows):
    return "\n".join(",".join(map(repr, row)) for row in rows)


# --------------------------------------------------------------------------- what is read


def test_it_goes_through_all_points_by_smooth_pieces(wrote):
    path = ulna.paths.csv(wrote(table(SQUARE.tolist())))
    assert path(path.breaks) == pytest.approx(SQUARE, abs=1e-15)
    assert path.duration is None
    assert len(path.corners) == 0
    same = ulna.paths.spline(SQUARE)
    places = np.linspace(0.0, 1.0, 41)
    assert path.derivatives(places) == pytest.approx(same.derivatives(places), abs=1e-12)


@pytest.mark.parametrize(
    "text",
    [
        "x,y\n1,2\n3,5\n4,4\n6,6\n",
        "\ufeffx , y\r\n1, 2\r\n\r\n 3 ,5\r\n4,4\r\n6,6",
        "# drawn by hand\ny,x\n2,1 # the start\n5,3\n4,4\n6,6\n",
        '"x","y"\n"1","2"\n"3","5"\n4,4\n6,6\n',
        "note [kg],Y,x\n7,2,1\n7,5,3\n7,4,4\n7,6,6\n",
        "x [m],y_m\n1,2\n3,5\n4,4\n6,6\n",
        "x [mm],y (cm)\n1000,200\n3e3,5e2\n4000,400\n6000,600\n",
        "1,\t2\n3,\t5\n4,\t4\n6,\t6\n",
    ],
)
def test_names_units_spaces_and_comments_are_understood(wrote, text):
    path = ulna.paths.csv(wrote(text))
    assert path(path.breaks) == pytest.approx(np.array([[1, 2], [3, 5], [4, 4], [6, 6]]))


def test_a_unit_counts_where_the_file_has_none(wrote):
    path = ulna.paths.csv(wrote("x,y [m]\n100,0.1\n200,0.3\n"), unit="mm")
    assert path.ends == pytest.approx(np.array([[0.1, 0.1], [0.2, 0.3]]))
    with pytest.raises(InputError, match=r"csv\.unit"):
        ulna.paths.csv(wrote("1,2\n3,4\n"), unit="kg")


def test_with_times_the_arm_is_there_then(wrote):
    times = np.array([1.0, 1.5, 3.0, 3.25])
    path = ulna.paths.csv(wrote(table(np.column_stack([times, SQUARE]).tolist())))
    assert path.duration == 2.25
    arm = ulna.Arm.rods([0.2, 0.2], [1.0, 1.0])
    motion = ulna.plan(arm, path).trajectory.tip(times - 1.0)
    assert motion.position == pytest.approx(SQUARE, abs=1e-12)
    # SciPy's spline over the times themselves, which knows nothing of places from 0 to 1.
    known = CubicSpline(times, SQUARE)
    assert motion.velocity == pytest.approx(known(times, 1), abs=1e-9)
    assert motion.acceleration == pytest.approx(known(times, 2), abs=1e-8)


def test_times_may_have_a_unit_and_the_tip_may_wait(wrote):
    path = ulna.paths.csv(wrote("t [ms],x,y\n0,0,0\n500,0.1,0\n900,0.1,0\n1000,0.2,0\n"))
    assert path.duration == pytest.approx(1.0)
    assert path(0.9) == pytest.approx([0.1, 0.0])


def test_closed_it_comes_back_without_a_kink(wrote):
    path = ulna.paths.csv(wrote(table(SQUARE.tolist())), closed=True)
    first, last = path.derivatives([0.0, 1.0]).transpose(1, 0, 2)
    assert first == pytest.approx(last, abs=1e-9)
    with pytest.raises(InputError, match="closed"):
        ulna.paths.csv(wrote("0,0,0\n1,1,0\n2,1,1\n"), closed=True)


def test_what_a_plan_saved_is_read_back(tmp_path):
    arm = ulna.Arm.rods([0.3, 0.3], [1.0, 1.0])
    plan = ulna.plan(arm, ulna.paths.circle((0.3, 0.1), 0.1), duration=2.0, rate=100.0)
    plan.save(tmp_path / "plan.csv")
    path = ulna.paths.csv(tmp_path / "plan.csv")
    assert path.duration == pytest.approx(2.0)
    assert path(np.linspace(0.0, 1.0, 201)) == pytest.approx(plan.tip[:, :2], abs=1e-9)


# --------------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", ["points.csv: table: got no rows, need columns x, y or t, x, y"]),
        ("1,2\n", ["points.csv: table: got one row, need at least two points"]),
        ("1,2\n3,x\n", ["points.csv:2: column 2 (y): got 'x', need a finite number"]),
        ("1,2\nnan,3\n4,inf\n", [":2: column 1 (x): got 'nan'", ":3: column 2 (y): got 'inf'"]),
        ("1,2\n,3\n", [":2: column 1 (x): got nothing"]),
        ("1,2\n3\n", ["points.csv:2: columns: got 1, need 2 as in the first row"]),
        ("1\n2\n", ["points.csv:1: columns: got 1 column, need columns x, y or t, x, y"]),
        ("1,2,3,4\n5,6,7,8\n", ["got 4 columns", "name the columns t, x and y"]),
        ("a,b\n1,2\n3,4\n", ["points.csv: columns: got names a, b, need x, y or t, x, y"]),
        ("x,x,y\n1,2,3\n3,4,5\n", ["columns: got two named x"]),
        ("x [kg],y\n1,2\n3,4\n", ["column 'x [kg]'", "unit of mass"]),
        ("0,1,2\n1,2,3\n1,3,4\n0,5,5\n", [":3: time: got 1 s after 1 s", ":4: time: got 0 s"]),
        ("1,2\n3,4\n3,4\n", ["points.csv:3: x, y: got the same point again"]),
        ("1,2\n3,4e300\n", ["points.csv:2: y: got 4e+300 m, need up to 1e+09 m"]),
        (
            "1;2\n3;4\n",
            ["points.csv:1: separator: got semicolons between the columns, need commas"],
        ),
        ("1\t2\n3\t4\n", ["got tabs between the columns"]),
        ('"1,5","2,5"\n"3,0","4,0"\n', ["column 1 (x): got '1,5'", "write 0.5, not 0,5"]),
        ("x,y\n" + "a,1\n" * 30, ["points.csv:11: column 1"]),
        ("1,2\n" * 60_000, ["got 60,000 rows, need at most 50,000"]),
        ("1,2\n" * 3_000_000, ["12,000,000 bytes, need at most 10,000,000"]),
    ],
    ids=range(20),
)
def test_faults_are_told_by_line_and_column(wrote, monkeypatch, text, says):
    monkeypatch.chdir(wrote(text).parent)
    with pytest.raises(InputError) as caught:
        ulna.paths.csv("points.csv")
    for words in says:
        assert words in str(caught.value)
    assert len(str(caught.value).splitlines()) <= 10
    assert caught.value.exit_code == 2


def test_a_file_that_is_not_there_is_no_bad_input():
    with pytest.raises(FileError, match=r"nowhere\.csv"):
        ulna.paths.csv("nowhere.csv")
