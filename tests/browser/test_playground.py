"""A playground, played with as a person would: by mouse, by touch and by keys."""

import math

import numpy as np
import pytest
from playwright.sync_api import expect

import ulna
from page_checks import PHONE
from playground_page import BENT, SCREEN, THREE, TWO, PlaygroundPage
from tabular import tabular

# They can hold neither the posture that they begin with nor the one that they are asked for.
WEAK = ulna.Arm.rods(
    [0.3, 0.25], [0.4, 0.3], joints=[ulna.Joint(max_torque=0.8), ulna.Joint(max_torque=0.5)]
)


@pytest.fixture(scope="module")
def file(samples, tmp_path_factory):
    return ulna.play(TWO, tmp_path_factory.mktemp("playground") / "two.html", progress=False)


@pytest.fixture(scope="module")
def desk(opener, file):
    return PlaygroundPage(opener(file, **SCREEN))


@pytest.fixture(scope="module")
def phone(opener, file):
    return PlaygroundPage(opener(file, **PHONE))


@pytest.fixture(params=["desk", "phone"])
def anywhere(request):
    """The same page on a screen with a mouse, and on a phone with a finger."""
    play = request.getfixturevalue(request.param)
    play.page.evaluate("scrollTo(0, 0)")
    play.pull = play.drag if request.param == "desk" else play.touch
    play.let_go = play.page.mouse.up if request.param == "desk" else play.lift
    return play


# ------------------------------------------------------------------------------------ dragging


def test_the_tip_is_dragged_and_the_other_branch_is_a_ghost(anywhere):
    play = anywhere
    play.start()
    target = [0.25, 0.45]
    both = ulna.kinematics.inverse(TWO, target)
    elbows = ulna.kinematics.joints(TWO, both.q)[:, 1]
    plain = play.colour(*(0.5 * elbows[0]))
    play.pull([play.places()[-1], play.pixel(0.4, 0.4), play.pixel(*target)], hold=True)
    np.testing.assert_allclose(play.tip, target, atol=2e-2)
    # It was bent to the negative side, and stays so; the positive one is the ghost.
    assert math.sin(play.get("simulation.q")[1]) < 0
    shade = play.colour(*(0.5 * elbows[0]))
    assert sum(plain) - sum(shade) > 20
    play.let_go()
    assert play.colour(*(0.5 * elbows[0])) == plain
    assert play.get("simulation.qd") == [0, 0]


@pytest.mark.parametrize("held", [True, False], ids=["held", "free"])
def test_three_links_keep_the_orientation_if_asked(desk, held):
    desk.start(THREE)
    card = desk.card("Posture")
    card.get_by_label("Hold the orientation of the last link").set_checked(held)
    before = sum(desk.get("simulation.q"))
    target = [0.5, 0.4]
    others = ulna.kinematics.inverse(THREE, [*target, before])
    ghost = 0.5 * ulna.kinematics.joints(THREE, others.q[0])[1]
    plain = desk.colour(*ghost)
    desk.drag([desk.places()[-1], desk.pixel(*target)], hold=True)
    np.testing.assert_allclose(desk.tip, target, atol=1e-2)
    assert (abs(sum(desk.get("simulation.q")) - before) < 1e-9) == held
    assert (sum(plain) - sum(desk.colour(*ghost)) > 20) == held
    desk.page.mouse.up()
    card.locator("summary").click()


def test_out_of_reach_is_said_in_a_unit_that_fits(desk):
    desk.start()
    desk.drag([desk.places()[-1], desk.pixel(1.0, 0.0)], hold=True)
    expect(desk.message).to_have_text("Out of reach by 10 cm")
    desk.page.mouse.up()
    expect(desk.message).to_be_hidden()


def test_a_link_is_turned_about_its_joint(anywhere):
    play = anywhere
    play.start()
    elbow, tip = play.places()[1:]
    middle = [0.5 * (elbow[0] + tip[0]), 0.5 * (elbow[1] + tip[1])]
    aside = [elbow[0] + 10, elbow[1] + 60]  # below the elbow on the screen
    play.pull([middle, aside])
    first, second = play.get("simulation.q")
    assert first == BENT[0]
    wanted = math.atan2(-60, 10) - first
    assert math.remainder(second - wanted, math.tau) == pytest.approx(0.0, abs=0.05)


def test_arrow_keys_move_the_tip(desk):
    desk.start()
    before = desk.tip
    desk.page.locator(".play-canvas").focus()
    desk.page.keyboard.press("ArrowUp")
    desk.page.keyboard.press("Shift+ArrowLeft")
    desk.settle()
    np.testing.assert_allclose(desk.tip, [before[0] - 0.045, before[1] + 0.009], atol=1e-6)


# ------------------------------------------------------------------------- throwing and poking


def test_an_arm_is_thrown_and_flies_on(anywhere):
    play = anywhere
    play.start(TWO.replace(gravity=(0.0, 0.0)))
    play.page.evaluate("() => ulnaPlayground.session.play()")
    places = play.places()[-1]
    play.pull(
        [places, [places[0] - 30, places[1] - 40], [places[0] - 80, places[1] - 80]], hold=True
    )
    play.page.wait_for_function("() => Math.abs(ulnaPlayground.session.simulation.qd[0]) > 0.2")
    play.let_go()
    assert play.get("simulation.pull") is None
    energy = play.get("simulation.energies().kinetic")
    play.pass_time(0.5)
    # Nothing works on it any more.
    assert play.get("simulation.energies().kinetic") == pytest.approx(energy, rel=1e-8)
    # It swings about the finger, and may be slow when that lets go.
    assert energy > 1e-6
    play.page.evaluate("() => ulnaPlayground.session.pause()")


def test_a_tap_hits_an_arm_that_plays(anywhere, request):
    play = anywhere
    play.start(TWO.replace(gravity=(0.0, 0.0)))
    elbow = play.places()[1]
    tap = play.page.touchscreen.tap if "phone" in request.node.name else play.page.mouse.click
    tap(*elbow)
    assert play.get("simulation.qd") == [0, 0]
    play.page.evaluate("() => ulnaPlayground.session.play()")
    tap(*elbow)
    play.settle()
    assert max(abs(rate) for rate in play.get("simulation.qd")) > 0.1
    play.page.evaluate("() => ulnaPlayground.session.pause()")


# ---------------------------------------------------------------------------------------- numbers


@tabular(
    ("label", "text", "where", "value"),
    [
        ("Length 1", "25 cm", "arm.links[0].length", 0.25),
        ("Gravity", "1,62 m/s²", "arm.gravity[1]", -1.62),
        ("Damping 1", "20 mN·m·s/rad", "arm.joints[0].damping", 0.02),
    ],
)
def test_numbers_are_typed_with_units(desk, label, text, where, value):
    desk.page.evaluate("() => ulnaPlayground.session.reset()")
    assert desk.get(where) != value
    expect(desk.type(label, text)).to_be_hidden()
    assert desk.get(where) == pytest.approx(value, rel=1e-12)
    desk.page.keyboard.press("Escape")


@tabular(
    ("label", "text", "said"),
    [
        ("Length 1", "3 kg", "“3 kg” is a mass: a length is needed"),
        ("Length 1", "0", "Got 0 m, need 0.0001 m to 10000 m."),
    ],
)
def test_wrong_numbers_get_a_sentence_and_change_nothing(desk, label, text, said):
    before = desk.get("arm")
    expect(desk.type(label, text)).to_contain_text(said)
    assert desk.get("arm") == before
    expect(desk.number(label)).to_have_attribute("aria-invalid", "true")
    desk.number(label).press("Escape")
    expect(desk.number(label)).not_to_have_attribute("aria-invalid", "true")


def test_a_slider_changes_the_body_as_a_rod_changes(desk):
    desk.start()
    slider = desk.page.get_by_role("slider", name="Length 2")
    slider.focus()
    slider.press("ArrowRight")
    length = desk.get("arm.links[1].length")
    assert length > 0.4
    assert desk.get("arm.links[1].inertia") == pytest.approx(0.6 * length**2 / 12, rel=1e-12)
    torque = desk.card("Torques").get_by_role("slider", name="Torque 1")
    torque.focus()
    torque.press("End")
    assert desk.get("simulation.torque")[0] > 1.0
    desk.card("Torques").locator("summary").click()


def test_links_are_added_and_taken_away_and_all_of_it_undone(desk):
    desk.start()
    first = desk.get("simulation.q")
    names = ("Add a link", "Take one away", "Undo")
    add, take, undo = (desk.page.get_by_role("button", name=name) for name in names)
    add.click()
    add.click()
    assert len(desk.get("simulation.q")) == 4
    expect(add).to_be_disabled()
    for _ in range(3):
        take.click()
    assert len(desk.get("arm.links")) == 1
    expect(take).to_be_disabled()
    for links in (2, 3, 4, 3):
        undo.click()
        assert len(desk.get("arm.links")) == links
    desk.page.keyboard.press("Control+z")
    assert desk.get("simulation.q") == first
    desk.page.keyboard.press("Control+Shift+z")
    assert len(desk.get("arm.links")) == 3


# ------------------------------------------------------------------------------------------- time


def test_keys_play_pause_and_step(desk):
    desk.start()
    press = desk.page.keyboard.press
    desk.page.locator(".play-canvas").focus()
    press(".")
    now = desk.get("simulation.time")
    assert now == pytest.approx(1 / 60, abs=2.5e-4)
    press("Shift+.")
    assert desk.get("simulation.time") == pytest.approx(now + 2.5e-4, abs=1e-9)
    press("Space")
    desk.page.wait_for_function(
        "now => ulnaPlayground.session.simulation.time > now + 0.01", arg=now
    )
    press("Space")
    assert not desk.get("playing")
    press("Backspace")
    assert desk.get("simulation.time") == 0


def test_the_energy_chart_tells_the_drift(desk):
    desk.start()
    note = desk.page.locator(".play-chart-note").first
    expect(note).to_have_text("")
    desk.page.evaluate("() => ulnaPlayground.session.play()")
    desk.settle()
    desk.pass_time(20.0)
    desk.page.evaluate("() => ulnaPlayground.session.pause()")
    expect(note).to_contain_text("of the peak kinetic energy")
    share = note.inner_text().replace("−", "-").replace("drift below", "drift").split()[1]
    assert float(share) <= 1e-6
    # A torque works on it: there is nothing to keep.
    desk.start(torque=[1.0, 0.0])
    expect(note).to_have_text("")


def test_the_trace_is_drawn_where_the_tip_was(desk):
    desk.start(TWO.replace(gravity=(0.0, 0.0)), q=[0.5, 0.0], qd=[2.0, 0.0])
    where = 0.9 * np.array([math.cos(0.8), math.sin(0.8)])
    plain = desk.colour(*where)
    desk.page.evaluate("() => ulnaPlayground.session.play()")
    desk.pass_time(0.5)
    desk.page.evaluate("() => ulnaPlayground.session.pause()")
    assert desk.colour(*where) != plain


# ---------------------------------------------------------------------------------------- control


def test_controllers_are_switched_while_it_runs(desk):
    play = desk
    play.start()
    page = play.page
    page.evaluate("() => ulnaPlayground.session.play()")
    panel = play.card("Controller")
    panel.get_by_text("Computed torque").click()
    assert play.get("simulation.control.law") == "computed-torque"
    play.pass_time(2.0)
    held = play.get("simulation.setPoint")
    np.testing.assert_allclose(play.get("simulation.q"), held, atol=1e-6)
    expect(panel.get_by_label("Gravity compensation")).to_be_disabled()
    panel.get_by_text("PD", exact=True).click()
    play.pass_time(3.0)
    sagging = np.abs(np.array(play.get("simulation.q")) - held).max()
    assert sagging > 1e-3
    panel.get_by_label("Gravity compensation").check()
    play.pass_time(3.0)
    np.testing.assert_allclose(play.get("simulation.q"), held, atol=1e-4)
    play.type("Kp 1", "1234 N·m/rad")
    assert play.get("simulation.control.kp[0]") == 1234
    panel.get_by_text("Off", exact=True).click()
    panel.get_by_label("Gravity compensation").uncheck()
    play.pass_time(0.3)
    assert play.get("playing")
    assert np.abs(np.array(play.get("simulation.q")) - held).max() > 1e-2
    page.evaluate("() => ulnaPlayground.session.pause()")


def test_a_set_point_is_dragged_and_torques_saturate(desk):
    desk.start(WEAK, more=[("law", "pd")])
    desk.page.evaluate("() => ulnaPlayground.session.play()")
    desk.drag([desk.places()[-1], desk.pixel(-0.3, 0.3)], hold=True)
    full = desk.page.locator(".play-bar-full")
    expect(full.first).to_be_visible()
    expect(full.first).to_contain_text("100 % of 0.80 N·m")
    assert max(np.abs(desk.get("simulation.tau")) / [0.8, 0.5]) == 1.0
    desk.page.mouse.up()
    desk.page.evaluate("() => ulnaPlayground.session.pause()")


def test_numbers_that_run_away_are_said_and_stop(desk):
    # A damper that answers a millisecond late, far beyond what 1 kHz can hold.
    desk.start(more=[("law", "pd"), ("kp", (0.0, 0.0)), ("kd", (1e5, 1e5))], qd=[1.0, 0.0])
    desk.page.evaluate("() => ulnaPlayground.session.play()")
    expect(desk.message).to_contain_text("The numbers ran away")
    assert not desk.get("playing")
    assert np.isfinite(desk.get("simulation.q")).all()
    desk.page.get_by_role("button", name="Back to the start").click()
    expect(desk.message).to_be_hidden()
    assert not desk.get("simulation.diverged")


def stroke(play, points, pull):
    play.card("Path").get_by_role("button", name="Draw a path").click()
    play.page.evaluate("scrollTo(0, 0)")
    play.settle()
    pull(play.pixels(points))


def test_a_path_is_drawn_and_followed(anywhere):
    play = anywhere
    play.start()
    turns = np.linspace(0.0, 1.5 * math.pi, 30)
    points = np.stack([0.4 + 0.2 * np.cos(turns), 0.3 + 0.2 * np.sin(turns)], axis=-1)
    stroke(play, points, play.pull)
    assert play.get("playing")
    assert play.get("simulation.control.law") == "computed-torque"
    assert play.get("trajectory.unreachable") == 0
    expect(play.card("Path").get_by_role("status")).to_contain_text("all of it within reach")
    drawn = np.array([[one["x"], one["y"]] for one in play.get("trajectory.drawn")])
    radii = np.hypot(*(drawn - [0.4, 0.3]).T)
    np.testing.assert_allclose(radii, 0.2, atol=0.015)
    play.pass_time(1.0 + 0.5 * play.get("trajectory.duration"))
    found, wanted = play.page.evaluate("""() => {
      const { simulation } = ulnaPlayground.session;
      return [simulation.q, simulation.reference().q];
    }""")
    np.testing.assert_allclose(found, wanted, atol=2e-3)
    play.pass_time(play.get("trajectory.duration"))
    np.testing.assert_allclose(
        play.page.evaluate(
            "() => { const { mechanism: m, simulation: s } = ulnaPlayground.session;"
            " return m.model.tip(m.letters, s.q).slice(0, 2) }"
        ),
        drawn[-1],
        atol=2e-3,
    )
    play.page.evaluate("() => ulnaPlayground.session.pause()")


def test_parts_out_of_reach_are_red_and_told(desk):
    play = desk
    play.start()
    xs = np.linspace(0.3, 0.99, 24)
    stroke(play, np.stack([xs, 0.0 * xs + 0.05], axis=-1), play.drag)
    play.page.evaluate("() => ulnaPlayground.session.pause()")
    out = [one for one in play.get("trajectory.drawn") if one["shortfall"] > 0]
    share = (0.99 - 0.9) / (0.99 - 0.3)
    assert play.get("trajectory.unreachable") == pytest.approx(share, abs=0.04)
    expect(play.card("Path").get_by_role("status")).to_contain_text("out of reach, by up to")
    play.page.evaluate("scrollTo(0, 0)")
    reds = play.colours([one["x"], one["y"]] for one in out[2::2])
    assert any(red - max(green, blue) > 60 for red, green, blue in reds)
    within = [one for one in play.get("trajectory.drawn") if one["x"] < 0.8][::25]
    found = play.colours([one["x"], one["y"]] for one in within)
    assert not any(red - max(green, blue) > 90 for red, green, blue in found[2:-2])


# -------------------------------------------------------------------------------------- companions


def test_open_loop_falls_off_beside_the_closed_loop(desk):
    page = desk.page
    page.evaluate("location.hash = 'scene=000-figure-6'")
    expect(desk.message).to_contain_text("Blue measures nothing")
    page.evaluate("() => ulnaPlayground.session.play()")
    desk.pass_time(10.0)
    page.evaluate("() => ulnaPlayground.session.pause()")
    tips = page.evaluate("""() => {
      const { mechanism: { model, letters }, simulation } = ulnaPlayground.session;
      const tips = [simulation.reference().q, simulation.q, simulation.companion.q];
      return tips.map(q => model.tip(letters, q).slice(0, 2));
    }""")
    wanted, closed, opened = np.array(tips)
    assert np.hypot(*(closed - wanted)) < 1e-3
    assert np.hypot(*(opened - wanted)) > 0.1


def test_one_link_has_a_phase_portrait_that_starts_runs(anywhere, request):
    play = anywhere
    play.start(ulna.preset("bechard-1"), q=[0.3])
    portrait = play.page.locator(".play-phase")
    portrait.scroll_into_view_if_needed()
    expect(portrait).to_be_visible()
    canvas = portrait.locator("canvas").last
    box = canvas.bounding_box()
    tap = play.page.touchscreen.tap if "phone" in request.node.name else play.page.mouse.click
    tap(box["x"] + 0.6 * box["width"], box["y"] + 0.35 * box["height"])
    play.settle()
    assert play.get("simulation.qd")[0] > 0
    assert play.get("simulation.q")[0] != 0.3
    play.start()
    expect(portrait).to_be_hidden()
