"""The document that the page of a sweep shows."""

import zlib

import numpy as np
import pytest

import ulna
from sweep_samples import curve, made_sweep, peak
from ulna.viewer.report_page import document, page
from web_columns import unpacked

MASSES = [1.0, 2.0, 5.0]
PAYLOADS = [0.0, 0.5]


def columns(made):
    return unpacked(made.header, zlib.decompress(made.data))


def test_scalars_are_whole_and_curves_have_single_precision():
    made = document(made_sweep({"link.1.mass": MASSES, "payload": PAYLOADS}))
    spec, data = made.header["sweep"], columns(made)
    points = [{"m": mass, "p": payload} for mass in MASSES for payload in PAYLOADS]
    for joint in (0, 1):
        expected = [peak(point, joint) for point in points]
        assert data[spec["scalars"][0]["values"][joint]] == pytest.approx(expected, rel=1e-15)
        torque = spec["curves"][0]
        t = torque["t"]["start"] + torque["t"]["step"] * np.arange(torque["t"]["count"])
        waves = np.concatenate([curve(point, joint, t) for point in points])
        assert data[torque["values"][joint]] == pytest.approx(waves, rel=1e-6, abs=1e-6)
    assert spec["shape"] == [3, 2]


def test_points_that_failed_are_gaps_a_finding_and_rows():
    made = document(made_sweep({"link.1.mass": MASSES, "payload": PAYLOADS}, failed=[1, 4]))
    spec, data = made.header["sweep"], columns(made)
    peaks = data[spec["scalars"][0]["values"][0]]
    assert np.flatnonzero(np.isnan(peaks)).tolist() == [1, 4]
    words = [spec["status"]["words"][int(code)] for code in data[spec["status"]["codes"]]]
    assert [k for k, word in enumerate(words) if word == "diverged"] == [1, 4]
    assert made.header["verdict"] == {"ok": False, "text": "6 points: 4 done, 2 diverged"}
    (table,) = (one for one in made.header["tables"] if one["title"] == "Points that failed")
    assert [row[1] for row in table["rows"]] == [
        "link.1.mass = 1, payload = 0.5",
        "link.1.mass = 5, payload = 0",
    ]


def test_of_a_large_sweep_points_are_picked_and_the_page_says_so():
    axis = {"from": 0.0, "to": 1.0, "count": 60}
    sweep = made_sweep({"link.1.mass": {**axis, "from": 0.5}, "payload": axis})
    made = document(sweep)
    spec, data = made.header["sweep"], columns(made)
    shown = int(np.prod(spec["shape"]))
    assert shown < 3_600
    numbers = data[spec["numbers"]].astype(int)
    assert len(numbers) == shown
    for k in (0, shown // 2, shown - 1):
        expected = peak(sweep.point(int(numbers[k])), 1)
        assert data[spec["scalars"][0]["values"][1]][k] == pytest.approx(expected, rel=1e-15)
    assert f"{shown:,} of 3,600 points are shown, evenly picked." in made.header["notes"]
    assert len(page(made)) < 2_000_000


def test_a_design_has_its_parameters_at_every_point():
    vary = {"design": "random", "count": 9, "seed": 2, "payload": {"from": 0.0, "to": 1.0}}
    sweep = made_sweep(vary)
    made = document(sweep)
    spec = made.header["sweep"]
    assert not spec["grid"]
    drawn = columns(made)[spec["parameters"][0]["values"]]
    assert drawn.tolist() == [sweep.point(k)["payload"] for k in range(9)]


def test_the_script_of_the_page_makes_the_same_sweep():
    spec = {"arm": "kehl", "path": "loops()", "simulate": False, "keep": ["torque.peak"]}
    sweep = ulna.sweep({**spec, "vary": {"payload": [0.0, 1.0]}})
    script = document(sweep).header["repeat"]["script"]
    found = {}
    exec(script, found)
    assert found["sweep"].spec.hash == sweep.spec.hash
    assert found["sweep"].dataset["torque.peak"].equals(sweep.dataset["torque.peak"])
