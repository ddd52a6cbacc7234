"""The fan chart of robustness, and what a report tells of it: against NumPy's percentiles."""

import numpy as np
import pytest
from matplotlib.figure import Figure

import ulna
from ulna.control import ComputedTorque
from ulna.viewer import DARK, plot_fan, plot_largest_errors, robustness_figure
from ulna.viewer.report_content import following_document
from ulna.viewer.report_page import document
from ulna.viewer.report_robustness import add_robustness


@pytest.fixture(scope="module")
def plan():
    return ulna.plan(ulna.preset("kehl"), ulna.paths.circle((0.5, 0.2), 0.1), duration=1.0)


@pytest.fixture(scope="module")
def found(plan):
    return ulna.robustness(plan, ComputedTorque(), runs=30, seed=2, tube=0.001)


@pytest.fixture(scope="module")
def failing(plan):
    """Arms of which some are hit so hard that their runs fail."""
    vary = {"disturbance.1.force.x": [0.0, 1e12]}
    return ulna.robustness(plan, ComputedTorque(), runs=12, vary=vary)


def test_bands_and_curves_are_percentiles_in_millimetres(found):
    axes = plot_fan(Figure().add_subplot(), found)
    curves = {line.get_label(): line.get_ydata() for line in axes.lines}
    np.testing.assert_allclose(curves["median"], 1e3 * np.median(found.error, axis=0), rtol=1e-12)
    assert curves["worst"].max() == pytest.approx(1e3 * found.error[found.max.argmax()].max())
    np.testing.assert_allclose(curves["nominal"], 1e3 * found.nominal, rtol=1e-12)
    assert set(curves["tube, 1 mm"]) == {1.0}
    widest = axes.collections[0].get_paths()[0].vertices[:, 1]
    assert widest.max() == pytest.approx(1e3 * np.percentile(found.error, 95, axis=0).max())


def test_the_distribution_ends_at_all_arms_that_end_well(found, failing):
    largest = plot_largest_errors(Figure().add_subplot(), found).lines[0]
    assert largest.get_ydata()[-1] == 100.0
    assert largest.get_xdata()[-1] == pytest.approx(1e3 * found.max.max())
    assert 0 < failing.failed < 12
    robustness_figure(failing, theme=DARK).draw_without_rendering()
    some = plot_largest_errors(Figure().add_subplot(), failing).lines[0]
    shown = some.get_ydata()[np.isfinite(some.get_xdata())]
    assert shown[-1] == pytest.approx(100.0 * (1.0 - failing.failed / 12))


def test_a_page_of_its_own_tells_of_the_arms_and_of_the_plan(found, failing, tmp_path):
    made = document(found)
    assert made.header["verdict"]["text"] == found.text
    tables = [one["title"] for one in made.header["tables"]]
    assert {"Robustness", "The worst arm", "Made with"} <= set(tables)
    assert any("seed=2" in note for note in made.header["notes"])
    assert made.header["charts"][0]["id"] == "tip-error-fan"
    assert "worst.nc" not in made.json
    assert document(failing).header["verdict"]["ok"] is False
    text = ulna.report(found, tmp_path / "robust.html").read_text("utf-8")
    assert "arms that are not quite this one" in text


def test_a_report_has_the_percentiles_and_the_causes(found, plan):
    run = ulna.simulate(plan.arm, controller=ComputedTorque(), reference=plan)
    builder = following_document(plan, {"closed loop": run})
    add_robustness(builder, found)
    tables = {one["title"]: one for one in builder.tables}
    largest = tables["Robustness"]["rows"][1]
    half = float(np.percentile(found.max, 50))
    assert largest[2] == ulna.units.length_text(half)
    first = next(iter(found.rank_correlations))
    assert tables["What the largest tip error goes with"]["rows"][0][0] == first
    assert len(tables["The worst arm"]["rows"]) == len(found.parameters)
    error, chart = builder.charts[:2]
    assert (error.id, chart.id) == ("tip-error", "tip-error-fan")
    median = next(one for one in chart.curves if one.label == "median")
    np.testing.assert_allclose(median.y, np.median(found.error, axis=0), rtol=1e-12)
    assert chart.limits == [{"label": "tube", "value": 0.001}]
    assert any(found.text in one["text"] for one in builder.findings)
