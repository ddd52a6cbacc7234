"""The example notebook on a fresh kernel: figures, a film and a bar, without any setting up."""

import base64
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell

FILE = Path(__file__).resolve().parents[2] / "examples" / "16_in_a_notebook.ipynb"
WIDGET = "application/vnd.jupyter.widget-view+json"
EAGER = "import ulna.progress\nulna.progress.PATIENCE = ulna.progress.INTERVAL = 0.0"
PYPLOT = "import sys\n'matplotlib.pyplot' in sys.modules"
SWEEP = """
spec = dict(arm="kehl", path="circle(center=(0.4, 0.3), radius=0.2)", duration="0.1 s")
spec |= dict(controller="ComputedTorque()", keep=["torque.peak"])
ulna.sweep(spec | dict(vary={"payload": {"from": 0.0, "to": 1.0, "count": 256}}))
"""
INLINE = "%matplotlib inline\nulna.plot(arm, q=[0.1, 0.2])"
LONG = ("batch", "ulna.animate", "ulna.sweep")  # what begins lines that take long


class Recorder(NotebookClient):
    """Keeps what was displayed on the way, which bars take back at their end."""

    def process_message(self, msg, cell, cell_index):
        if msg["msg_type"] == "display_data":
            cell.metadata.setdefault("displayed", []).extend(msg["content"]["data"])
        return super().process_message(msg, cell, cell_index)


@pytest.fixture(scope="module")
def cells(tmp_path_factory):
    """Give the code cells of the example as they were run, with some of our own behind them."""
    notebook = nbformat.read(FILE, as_version=4)
    notebook.cells.insert(1, new_code_cell(EAGER))
    notebook.cells.extend(map(new_code_cell, [PYPLOT, SWEEP.strip(), INLINE]))
    folder = str(tmp_path_factory.mktemp("notebook"))
    resources = {"metadata": {"path": folder}}
    Recorder(notebook, timeout=600, kernel_name="python3", resources=resources).execute()
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def having(cells, words):
    found = [cell for cell in cells if cell.source.splitlines()[-1].startswith(words)]
    assert found
    return found


def result(cell):
    (data,) = (one["data"] for one in cell.outputs if one["output_type"] == "execute_result")
    return data


def test_the_example_is_kept_without_its_outputs():
    notebook = nbformat.read(FILE, as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(not cell.outputs and cell.execution_count is None for cell in code)
    assert "%matplotlib" not in "".join(cell.source for cell in code)


@pytest.mark.docs
def test_every_figure_is_a_picture(cells):
    for cell in having(cells, "ulna.plot"):
        picture = result(cell)["image/png"]
        assert base64.b64decode(picture).startswith(b"\x89PNG")
        assert sum("image/png" in one.get("data", ()) for one in cell.outputs) == 1


@pytest.mark.docs
def test_pictures_are_finer_than_they_are_wide(cells):
    # Screens have two pixels and more where pages count one.
    for cell in having(cells, "ulna.plot(run"):
        (output,) = cell.outputs
        wide = int.from_bytes(base64.b64decode(output["data"]["image/png"])[16:20], "big")
        assert 300 <= output["metadata"]["image/png"]["width"] <= 0.6 * wide


@pytest.mark.docs
def test_nothing_loads_pyplot(cells):
    (cell,) = having(cells, "'matplotlib.pyplot'")
    assert result(cell)["text/plain"] == "False"


@pytest.mark.docs
def test_a_film_plays_in_the_page(cells):
    (cell,) = having(cells, "ulna.animate")
    page = result(cell)["text/html"]
    start, _, data = page.partition(";base64,")
    assert start.startswith("<video ")
    assert start.endswith('src="data:video/mp4')
    film = base64.b64decode(data.partition('"')[0])
    assert film[4:8] == b"ftyp"
    assert len(page) < 1_000_000


@pytest.mark.docs
def test_a_bar_is_a_widget_and_leaves_no_trace(cells):
    for cell in (cell for words in LONG for cell in having(cells, words)):
        assert WIDGET in cell.metadata["displayed"]
        (bar,) = (one for one in cell.outputs if one["output_type"] == "display_data")
        assert not any(bar["data"].values())


@pytest.mark.docs
def test_results_are_tables(cells):
    for words in ("arm", "found", "batch"):
        (cell,) = having(cells, words)
        assert result(cell)["text/html"].startswith("<div")


@pytest.mark.docs
def test_no_cell_prints_a_warning(cells):
    assert not [one for cell in cells for one in cell.outputs if one["output_type"] == "stream"]
