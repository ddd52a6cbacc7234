"""The widget in Python: traits, checks, inverse kinematics, and what goes to the page and back."""

import json
import sys

import numpy as np
import pytest

import ulna
from refusals import names_of
from ulna.errors import MissingExtraError
from ulna.viewer import html_page
from ulna.viewer.notebook_widgets import ArmWidget, RunWidget

ARM = ulna.preset("unit")  # two links of 1 m
START = [0.9, -1.2]


@pytest.fixture
def built(monkeypatch):
    """Let widgets be made whether or not the page's part of them is built."""
    monkeypatch.setattr("ulna.viewer.notebook_widgets.built_files", lambda name: ("js", "css"))


@pytest.fixture
def widget(built):
    return ulna.widget(ARM, q0=START)


@pytest.fixture(scope="module")
def run():
    return ulna.simulate(ARM, q0=START, duration=2.0)


@pytest.fixture
def player(built, run):
    return ulna.widget(run)


class Listener:
    """What a callback was told."""

    def __init__(self):
        self.heard = []

    def __call__(self, widget):
        assert (widget.tip == ulna.kinematics.tip(ARM, widget.q)[:2]).all()
        self.heard.append(widget.q.tolist())


class Page:
    """The other end of the comm: what was sent to it."""

    kernel = object()

    def __init__(self):
        self.sent = []

    def send(self, data=None, metadata=None, buffers=None):
        self.sent.append(data)

    def updates(self, name):
        states = (one["state"] for one in self.sent if one["method"] == "update")
        return [state[name] for state in states if name in state]


def connect(widget, monkeypatch):
    page = Page()
    monkeypatch.setattr(type(widget), "comm", page)
    return page


def from_page(widget, **state):
    message = {"content": {"data": {"method": "update", "state": state, "buffer_paths": []}}}
    widget._handle_msg(message | {"buffers": []})


def test_angles_and_tip_go_together(widget):
    assert isinstance(widget, ArmWidget)
    assert widget.q.tolist() == START
    widget.q = (0.0, np.pi / 2)
    np.testing.assert_allclose(widget.tip, [1.0, 1.0], atol=1e-15)
    widget.tip = [0.0, np.sqrt(2.0)]
    np.testing.assert_allclose(widget.q, [np.pi / 4, np.pi / 2], atol=1e-12)


def test_arrays_that_are_handed_out_cannot_be_written_to(widget):
    given = np.array([0.1, 0.2])
    widget.q = given
    given[0] = 5.0
    assert widget.q.tolist() == [0.1, 0.2]
    for array in (widget.q, widget.tip):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0


@pytest.mark.parametrize("name", ["q", "tip"])
@pytest.mark.parametrize(
    "value", [[0.1], [0.1, np.nan], (np.inf, 0.0), [[0.1, 0.2]], "up", [1, 2, 3]]
)
def test_wrong_numbers_are_refused_and_change_nothing(widget, name, value):
    assert names_of(lambda: setattr(widget, name, value)) == [name]
    assert widget.q.tolist() == START


def test_what_cannot_be_shown_is_refused(widget, run):
    assert names_of(lambda: ulna.widget("kehl")) == ["widget"]
    assert names_of(lambda: ulna.widget(ARM, height=10)) == ["height"]
    assert names_of(lambda: ulna.widget(ARM, q0=[1.0])) == ["q"]
    assert names_of(lambda: ulna.widget(run, q0=START)) == ["q0"]
    assert names_of(lambda: widget.on_change(3)) == ["callback"]


def test_a_tip_out_of_reach_names_the_shortfall(widget):
    with pytest.raises(ulna.InfeasibleError, match=r"out of reach by 0\.5 m|by 500 mm"):
        widget.tip = 2.5, 0.0
    assert widget.q.tolist() == START


@pytest.mark.parametrize("elbow", [1.2, -1.2])
def test_the_branch_is_kept(widget, elbow):
    widget.q = [0.3, elbow]
    for angle in np.linspace(0.0, 6.0, 13):
        widget.tip = 1.1 * np.cos(angle), 1.1 * np.sin(angle)
        assert np.sign(np.sin(widget.q[1])) == np.sign(elbow)
    # Not wound back by a turn on the way: the first joint went along with the tip.
    assert widget.q[0] - 0.3 == pytest.approx(6.0, abs=1.5)


def test_limits_are_kept(built):
    joints = [ulna.Joint(lower=-1.0, upper=1.0), ulna.Joint(lower=0.0, upper=2.0)]
    limited = ulna.widget(ulna.Arm.of(ARM.links, joints))
    assert limited.q.tolist() == [0.9, 0.0]  # the usual pose, within them
    assert names_of(lambda: setattr(limited, "q", [0.0, -0.5])) == ["q of joint 2"]
    with pytest.raises(ulna.InfeasibleError, match="joint limits forbid"):
        limited.tip = -1.0, 0.0
    limited.tip = 1.0, 1.0  # of its two postures only one is allowed
    np.testing.assert_allclose(limited.q, [0.0, np.pi / 2], atol=1e-9)


@pytest.mark.parametrize("links", [1, 3, 5, 12])
def test_any_number_of_links(built, links):
    arm = ulna.Arm.rods([0.3] * links, [0.1] * links, base=(0.2, -0.1))
    shown = ulna.widget(arm)
    target = [0.2, 0.2] if links == 1 else [0.2 + 0.2 * links, 0.1]
    shown.tip = target
    np.testing.assert_allclose(ulna.kinematics.tip(arm, shown.q)[:2], target, atol=1e-8)
    assert json.loads(shown._document)["base"] == [0.2, -0.1]


def test_callbacks_hear_changes_and_only_those(widget):
    listener, changes = Listener(), []
    widget.on_change(listener)
    widget.observe(lambda change: changes.append((change.name, change.old.tolist())), ["q", "tip"])
    widget.q = [0.1, 0.2]
    widget.q = [0.1, 0.2]
    assert listener.heard == [[0.1, 0.2]]
    assert sorted(name for name, _ in changes) == ["q", "tip"]
    assert ("q", START) in changes
    widget.on_change(listener, remove=True)
    widget.on_change(listener, remove=True)
    widget.q = [0.3, 0.4]
    assert len(listener.heard) == 1


def test_what_the_page_sends_is_not_sent_back(widget, monkeypatch):
    page, listener = connect(widget, monkeypatch), Listener()
    widget.on_change(listener)
    from_page(widget, q=[0.5, 0.6])
    assert widget.q.tolist() == [0.5, 0.6]
    np.testing.assert_allclose(widget.tip, ulna.kinematics.tip(ARM, [0.5, 0.6])[:2])
    assert listener.heard == [[0.5, 0.6]]
    assert page.updates("q") == []
    widget.q = [0.7, 0.8]
    assert page.updates("q") == [[0.7, 0.8]]
    assert page.updates("tip") == []  # the page computes its own


def test_a_run_is_shown_at_a_time(player, run):
    assert isinstance(player, RunWidget)
    header = json.loads(player._document)
    assert (len(header["motions"]), header["charts"], header["span"]) == (1, [], [0.0, 2.0])
    assert len(player._data) < 200_000
    assert (player.time, player.playing) == (0.0, False)
    assert player.q.tolist() == START
    k = len(run.t) // 3
    player.time = run.t[k]
    np.testing.assert_array_equal(player.q, run.q[k])
    np.testing.assert_allclose(player.tip, run.tip[k, :2], atol=1e-12)
    player.time = 0.5 * (run.t[k] + run.t[k + 1])
    np.testing.assert_allclose(player.q, 0.5 * (run.q[k] + run.q[k + 1]), atol=1e-12)


@pytest.mark.parametrize("time", [-0.1, 2.1, np.nan, "1 s", None])
def test_a_time_beyond_the_run_is_refused(player, time):
    assert names_of(lambda: setattr(player, "time", time)) == ["time"]
    assert player.time == 0.0


def test_the_time_of_the_page_is_followed_and_not_sent_back(player, monkeypatch):
    page, times = connect(player, monkeypatch), []
    player.on_change(lambda widget: times.append(widget.time))
    from_page(player, playing=True)
    from_page(player, _time=0.4)
    from_page(player, _time=2.0 + 1e-12)  # rounded on the way
    assert times == [0.4, 2.0]
    assert player.playing
    assert page.updates("_seek") == []


def test_setting_the_time_pauses_there(player, monkeypatch):
    page = connect(player, monkeypatch)
    from_page(player, playing=True)
    player.time = 1.5
    player.time = 0.5
    assert [time for _, time in page.updates("_seek")] == [1.5, 0.5]
    # To the same place again: numbers tell one request from another.
    assert len({count for count, _ in page.updates("_seek")}) == 2
    assert not player.playing
    assert player._time == 0.5  # for views that are opened later


def test_a_missing_package_is_named_with_the_way_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "anywidget", None)
    monkeypatch.delitem(sys.modules, "ulna.viewer.notebook_widgets", raising=False)
    monkeypatch.delattr("ulna.viewer.notebook_widgets", raising=False)
    way = r"a widget needs anywidget, which is missing: pip install 'ulna\[notebook\]'"
    with pytest.raises(MissingExtraError, match=way):
        ulna.widget(ARM)


def test_a_viewer_that_is_not_built_is_told(monkeypatch, tmp_path):
    monkeypatch.setattr(html_page, "BUILT", tmp_path)
    with pytest.raises(ulna.UlnaError, match="not built here, so there is no widget"):
        ulna.widget(ARM)
