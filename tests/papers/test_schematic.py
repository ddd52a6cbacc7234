import numpy as np
import pytest

from papers import schematics
from papers.schematic import Schematic, ends, heading

LETTERS = {
    schematics.one_joint: {r"$\theta$", r"$\tau_{app}$", "$m_1$", "$L$", "$m_1 g$"},
    schematics.sequential_arm: {
        f"${letter}_{i}$" for letter in (r"\theta", r"\tau", "m", "L") for i in "123n"
    },
    schematics.garai: {
        *(f"${letter}_{i}$" for letter in ("q", r"\tau", "m", "l", "J") for i in "12"),
        *(r"$\vec{F}$", "$E(x, y)$", "$g$"),
    },
    schematics.garai_angles: {r"$\theta$", r"$\varphi$", r"$\phi$", "$l_1$", "$l_2$", "$E(x, y)$"},
    schematics.ductri: {
        *(f"${letter}_{i}$" for letter in (r"\chi", r"\tau", "m", "l") for i in "12"),
        *("$m_E$", r"$I_1,\, m_1^L$", r"$I_2,\, m_2^L$", "$g$"),
    },
}


@pytest.mark.parametrize("draw", LETTERS, ids=lambda draw: draw.__name__)
class TestPapersDrawings:
    def test_every_letter_of_the_paper_is_there(self, draw):
        texts = {text.get_text() for text in draw().axes[0].texts}
        assert texts >= LETTERS[draw]

    def test_letters_lie_on_the_sheet_and_on_no_other(self, draw):
        figure = draw()
        figure.draw_without_rendering()
        boxes = [text.get_window_extent() for text in figure.axes[0].texts if text.get_text()]
        sheet = figure.bbox
        for k, box in enumerate(boxes):
            assert sheet.x0 <= box.x0 < box.x1 <= sheet.x1
            assert sheet.y0 <= box.y0 < box.y1 <= sheet.y1
            assert not any(box.overlaps(other) for other in boxes[k + 1 :])


class TestSchematic:
    @pytest.fixture
    def sheet(self):
        return Schematic((-1.0, 3.0), (-1.0, 1.0))

    def test_the_sheet_is_to_scale_without_axes(self, sheet):
        assert sheet.figure.get_figwidth() == 2.0 * sheet.figure.get_figheight()
        assert not sheet.axes.axison

    def test_ends_are_where_the_links_end(self):
        assert ends([1.0, 0.5], [np.pi / 2, 0.0]) == pytest.approx(
            np.array([[0.0, 0.0], [0.0, 1.0], [0.5, 1.0]])
        )
        assert heading(np.pi) == pytest.approx([-1.0, 0.0])

    def test_a_chain_has_links_and_joints_between_them(self, sheet):
        points = ends([1.0, 0.5, 0.3], [0.1, 0.5, 1.0])
        sheet.chain(points)
        assert np.array_equal(sheet.axes.lines[0].get_xydata(), points)
        assert np.array_equal([patch.center for patch in sheet.axes.patches], points[:3])

    @pytest.mark.parametrize("end", [0.9, -0.7])
    def test_the_head_of_an_angle_ends_at_it(self, sheet, end):
        sheet.angle((1.0, 0.0), 0.0, end, "$q$", color="k", radius=0.4)
        head = next(text for text in sheet.axes.texts if not text.get_text())
        assert head.xy == pytest.approx(tuple([1.0, 0.0] + 0.4 * heading(end)))
        arc = sheet.axes.lines[0].get_xydata() - [1.0, 0.0]
        assert np.hypot(*arc.T) == pytest.approx(0.4)

    def test_a_measure_is_as_long_as_what_it_measures(self, sheet):
        sheet.length((0.0, 0.0), (2.0, 0.0), "$l$", aside=0.3)
        arrow = next(text for text in sheet.axes.texts if not text.get_text())
        assert (arrow.xyann, arrow.xy) == (pytest.approx((0.0, 0.3)), pytest.approx((2.0, 0.3)))
