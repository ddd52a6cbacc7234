"""Films: whole or absent, as long as they should be, and showing the arm where it was."""

import re
import subprocess
import sys
from dataclasses import replace

import imageio_ffmpeg
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from PIL import Image

import ulna
from figure_checks import moved
from refusals import assert_refused, names_of
from ulna import viewer
from ulna.arm.bounded_numbers import BoundedNumber
from ulna.errors import MissingExtraError
from ulna.viewer import film, video
from ulna.viewer.arm_drawing import MOST_CHORDS, STRONGEST_BEND, Playback
from ulna.viewer.scene import ArmScene, Moment, moments

SMALL = {"fps": 10, "size": (160, 120)}


def swinging(n=2, samples=41, duration=2.0):
    arm = ulna.Arm.rods([1.0 / n] * n, [1.0] * n, name="swing")
    t = np.linspace(0.0, duration, samples) if samples > 1 else np.zeros(1)
    turn = np.arange(1.0, n + 1.0) + 3.0 * t[:, None]
    return moved(arm, t, 0.8 * np.sin(turn), 2.4 * np.cos(turn))


def pictures_of(file):
    with Image.open(file) as image:
        for index in range(image.n_frames):
            image.seek(index)
            yield np.asarray(image.convert("RGB")), image.info["duration"]


def decoded(file, *orders):
    """Let ffmpeg read a film; gives its raw pictures and what it says about them."""
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-i", file, *orders]
    done = subprocess.run(command, capture_output=True, check=False)
    return done.stdout, done.stderr.decode()


def names(folder):
    return sorted(file.name for file in folder.iterdir())


def colors_of(theme, *names):
    return [np.round(255 * np.array(to_rgb(getattr(theme, name)))) for name in names]


@pytest.mark.parametrize(("speed", "frames"), [(1.0, 21), (0.5, 41)])
def test_an_mp4_has_the_frames_the_size_and_the_time(tmp_path, speed, frames):
    file = tmp_path / "swing.mp4"
    viewer.animate(swinging(), file, speed=speed, **SMALL)
    count, seconds = imageio_ffmpeg.count_frames_and_secs(file)
    assert count == frames
    assert seconds == pytest.approx(frames / 10)
    assert re.search(r"Video: h264 .*yuv420p\(tv, bt709.* 160x120, .* 10 fps", decoded(file)[1])
    assert names(tmp_path) == ["swing.mp4"]


def test_a_gif_has_the_frames_the_size_and_the_time(tmp_path):
    file = tmp_path / "swing.gif"
    viewer.animate(swinging(duration=1.0), file, fps=30, size=(160, 120))
    found = list(pictures_of(file))
    assert len(found) == 31
    assert found[0][0].shape == (120, 160, 3)
    assert sum(lasting for _, lasting in found) == pytest.approx(1000 * 31 / 30, abs=10)
    with Image.open(file) as image:
        assert image.info["loop"] == 0
    assert names(tmp_path) == ["swing.gif"]


def test_a_gif_keeps_plain_colours_and_all_of_a_picture(tmp_path):
    run, file, theme = swinging(duration=0.8), tmp_path / "swing.gif", viewer.DARK
    viewer.animate(run, file, theme=theme, **SMALL)
    paper, reach = colors_of(theme, "background", "reach")
    scene = ArmScene(run.arm, "swing", "", (160, 120), theme)
    times = film.times_between(*run.t[[0, -1]], 10, 1.0)
    for (shown, _), moment in zip(pictures_of(file), moments(run, times, 10), strict=True):
        drawn = scene.draw(moment)[..., :3]
        assert np.array_equal(shown[0, 0], paper)
        assert np.mean(np.all(shown == reach, axis=-1)) > 0.1
        assert np.mean(np.abs(shown.astype(int) - drawn)) < 2.0


@pytest.mark.parametrize("ending", [".mp4", ".gif"])
def test_one_sample_stands_still_for_a_second(tmp_path, ending):
    file = tmp_path / f"still{ending}"
    viewer.animate(swinging(samples=1), file, **SMALL)
    assert imageio_ffmpeg.count_frames_and_secs(file) == (10, pytest.approx(1.0))


@pytest.mark.parametrize("n", [1, 2, 12])
@pytest.mark.parametrize("theme", [viewer.PRINT, viewer.DARK], ids=["print", "dark"])
def test_joints_and_tip_are_at_their_pixels(n, theme):
    run = swinging(n)
    scene = ArmScene(run.arm, "", "", (600, 400), theme)
    points = ulna.kinematics.joints(run.arm, run.q[7])
    picture = scene.draw(Moment(0.0, points, points[None, -1:], 0.0))
    paper, movable, link, link_light = colors_of(
        theme, "background", "accent", "link", "link_light"
    )
    places = np.floor(scene.axes.transData.transform(points)).astype(int)
    found = picture[400 - 1 - places[:, 1], places[:, 0], :3]
    assert np.array_equal(found[-1], movable)
    assert np.allclose(found[0], paper, atol=12)
    middles = scene.axes.transData.transform(0.5 * (points[:-1] + points[1:])).astype(int)
    found = picture[400 - 1 - middles[:, 1], middles[:, 0], :3]
    expected = [link, link_light] * 6
    assert np.allclose(found[:2], expected[: min(n, 2)], atol=2)


def test_the_tip_in_a_finished_film_is_where_it_was(tmp_path):
    run, file = swinging(), tmp_path / "swing.mp4"
    viewer.animate(run, file, fps=5, size=(600, 600))
    scene = ArmScene(run.arm, "", "", (600, 600), viewer.PRINT)
    raw, _ = decoded(file, "-f", "rawvideo", "-pix_fmt", "rgb24", "-")
    shown = np.frombuffer(raw, np.uint8).reshape(-1, 600, 600, 3)
    (movable,) = colors_of(viewer.PRINT, "accent")
    for picture, q in zip(shown, run.q[::4], strict=True):
        x, y = scene.axes.transData.transform(ulna.kinematics.tip(run.arm, q)[:2]).astype(int)
        assert np.allclose(picture[599 - y, x], movable, atol=25)


@pytest.mark.parametrize("n", [1, 2])
def test_clock_and_speed_are_those_of_the_run(n):
    run = swinging(n)
    name = "a name longer than any film is wide " * 9
    scene = ArmScene(run.arm, name, "", (66, 800), viewer.DARK)
    wanted = run.qd[:, 0] if n == 1 else np.hypot(*run.tip_velocity[:, :2].T)
    for moment in moments(run, run.t, 20):
        assert scene.draw(moment).shape == (800, 66, 4)
        shown = float(scene.speed.get_text().replace("−", "-"))
        assert shown == pytest.approx(np.interp(moment.t, run.t, wanted), abs=0.005)
    assert scene.clock.get_text() == "2.00"


def test_a_picture_keeps_nothing_of_the_one_before():
    run = swinging()
    scene = ArmScene(run.arm, "", "", (160, 120), viewer.PRINT)
    first, *_, last = moments(run, run.t, 20)
    alone = scene.draw(first).copy()
    assert not np.array_equal(scene.draw(last), alone)
    assert np.array_equal(scene.draw(first), alone)


def whirling(rates, samples):
    """Return an arm whose links turn at these rates [rad/s] for 90 s, swaying a little."""
    n, t = len(rates), np.linspace(0.0, 90.0, samples)
    arm = ulna.Arm.rods([1.0 / n] * n, [1.0] * n)
    rates = ulna.angles.absolute_to_relative(np.array(rates))
    q = rates * t[:, None] + 0.3 * np.sin(2.0 * t[:, None])
    return moved(arm, t, q, rates + 0.6 * np.cos(2.0 * t[:, None]))


def far_from(chords, points):
    """Return how far the farthest of the points is from chords (m, 2)."""
    start, way = chords[:-1], np.diff(chords, axis=0)
    length = np.maximum(np.sum(way**2, axis=-1), 1e-300)
    part = np.clip(((points[:, None] - start) * way).sum(-1) / length, 0.0, 1.0)
    return np.hypot(*np.moveaxis(points[:, None] - start - part[..., None] * way, -1, 0)).min(1)


@pytest.mark.parametrize("speed", [1.0, 50.0])
@pytest.mark.parametrize(
    ("rates", "samples"),
    [([50.0], 9001), ([50.0], 1801), ([30.0, -45.0], 9001), ([33.0, 34.0, 32.0, 33.5], 9001)],
)
def test_a_whirling_arm_draws_arcs_at_any_speed(speed, rates, samples):
    run = whirling(rates, samples)
    scene = ArmScene(run.arm, "", "", (800, 800), viewer.PRINT)
    times = film.times_between(*run.t[[0, -1]], 30.0, speed)[:50]
    *_, last = moments(run, times, 30.0)
    playback = Playback(run)
    dense = np.linspace(playback.arc_times(*times[-2:])[0], times[-1], 1000)
    true = ulna.kinematics.tip(run.arm, playback.postures(dense))[:, :2]
    drawn, way = map(scene.axes.transData.transform, (last.trail[-1], true))
    assert far_from(drawn, way).max() < 1.0
    assert sum(map(len, last.trail)) < 2 * MOST_CHORDS
    assert np.array_equal(last.trail[-1][-1], last.points[-1])


def test_beyond_its_end_a_run_stands_still():
    run = ulna.simulate(ulna.preset("bechard-1"), q0=[0.3], duration=1.0, samples=11)
    late = Playback(run).postures(np.array([1.0, 1.01, 50.0]))
    assert (late == run.q[-1]).all()


def test_postures_between_samples_follow_the_speeds():
    sparse, dense = swinging(samples=21), swinging(samples=2001)
    assert np.abs(Playback(sparse).postures(dense.t) - dense.q).max() < 2e-5
    assert np.array_equal(Playback(sparse).postures(sparse.t), sparse.q)


def test_speeds_without_sense_cannot_throw_the_arm_about():
    run = swinging(samples=21)
    run = replace(run, qd=np.where(run.t[:, None] == run.t[4], np.nan, 1e200 * run.qd))
    times = np.linspace(-1.0, 3.0, 999)
    straight = [np.interp(times, run.t, column) for column in run.q.T]
    off = np.abs(Playback(run).postures(times) - np.transpose(straight))
    assert off.max() <= 0.25 * STRONGEST_BEND


NUMBERS = {"fps": BoundedNumber("rate", "Hz", least=1.0), "speed": BoundedNumber("", "", 0.0)}
WRONG = {
    "film": [{"file": "swing.avi"}, {"file": "swing"}],
    "fps": [{"fps": 241}, {"fps": 51, "file": "swing.gif"}],
    "size": [{"size": size} for size in ((801, 600), (800,), 800, (8000, 800), (62, 64))],
}


def test_what_no_film_can_be_made_of_is_refused(tmp_path):
    given = {"run": swinging(), "file": tmp_path / "swing.mp4", **SMALL}
    assert_refused(viewer.animate, NUMBERS, given)
    for name, changes in WRONG.items():
        for change in changes:
            made = {**given, **change}
            made["file"] = tmp_path / made["file"]
            assert names_of(lambda made=made: viewer.animate(**made)) == [name], change
    everything = {"fps": 0, "speed": 0, "size": (1, 1)}
    told = names_of(lambda: viewer.animate(swinging(), "x.avi", **everything))
    assert told == ["film", *everything]
    assert names(tmp_path) == []


@pytest.mark.parametrize("duration", [700.0, 1234.5, 1e6, 1e300])
def test_the_speed_that_is_suggested_is_enough(duration):
    run = swinging(duration=duration)
    with pytest.raises(ulna.InputError, match="play it faster with speed=") as caught:
        film.times_between(*run.t[[0, -1]], 30.0, 1.0)
    suggested = float(str(caught.value).rpartition("=")[2])
    assert len(film.times_between(*run.t[[0, -1]], 30.0, suggested)) <= film.MOST_FRAMES


def fails_after(pictures, error):
    drawn = ArmScene.draw
    count = iter(range(pictures))

    def draw(self, moment):
        if next(count, None) is None:
            raise error
        return drawn(self, moment)

    return draw


@pytest.fixture
def encoders(monkeypatch):
    """Note every encoder that is started."""
    started = []
    start = subprocess.Popen
    monkeypatch.setattr(
        video.subprocess, "Popen", lambda *a, **how: started.append(start(*a, **how)) or started[-1]
    )
    return started


@pytest.mark.parametrize("ending", [".mp4", ".gif"])
@pytest.mark.parametrize("error", [KeyboardInterrupt(), RuntimeError("in the middle")], ids=repr)
def test_an_error_in_the_middle_leaves_what_was_there(
    tmp_path, monkeypatch, encoders, ending, error
):
    file = tmp_path / f"swing{ending}"
    file.write_bytes(b"before")
    monkeypatch.setattr(ArmScene, "draw", fails_after(9, error))
    with pytest.raises(type(error)):
        viewer.animate(swinging(), file, **SMALL)
    assert names(tmp_path) == [file.name]
    assert file.read_bytes() == b"before"
    assert all(encoder.returncode is not None for encoder in encoders)
    assert len(encoders) == 1


@pytest.mark.parametrize("size", [(640, 480), (64, 64)])
def test_an_encoder_that_fails_is_reported(tmp_path, monkeypatch, encoders, size):
    monkeypatch.setitem(video.FORMATS, ".mp4", "-no-such-option")
    with pytest.raises(ulna.FileError, match=r"swing.mp4: cannot be written: ffmpeg failed: .*no-"):
        viewer.animate(swinging(samples=1), tmp_path / "swing.mp4", fps=1, size=size)
    assert names(tmp_path) == []
    assert encoders[0].returncode is not None


@pytest.mark.parametrize("file", ["swing.mp4", "swing.gif", None])
def test_without_the_extra_it_says_what_to_install(tmp_path, monkeypatch, file):
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'ulna\[films\]'"):
        viewer.animate(swinging(), file and tmp_path / file, **SMALL)
    assert names(tmp_path) == []
