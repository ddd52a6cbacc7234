"""What of an SVG file is hidden, in another size, or not drawn: none of it in silence."""

import re

import pytest

from ulna.errors import InputError

LINE = '<path d="M0 5 L10 9"/>'
LENGTH = 116.0**0.5
CORNER = '<path d="M0 0 H10 V10"/>'


@pytest.mark.parametrize(
    ("dots", "told"),
    [
        ("M40 40 z", "1 dot without length is not drawn"),
        ("M40 40 L40 40 M1e8 -1e8 h0", "2 dots without length are not drawn"),
    ],
)
def test_a_dot_is_told_and_does_not_move_the_drawing(drawing, dots, told):
    path = drawing(f'<path d="M0 5 L10 9 {dots}"/>')
    assert path.ends.tolist() == [[0.0, 4.0], [10.0, 0.0]]
    (note,) = path.notes
    assert note.startswith(told)


def test_a_move_alone_is_no_dot(drawing):
    assert drawing('<path d="M0 5 L10 9 M40 40"/>').notes == ()


@pytest.mark.parametrize(
    ("sheet", "shown"),
    [
        (".h{display:none}", False),
        ("/* all */ .a, .h { fill: red; display : none } ", False),
        ("#i{visibility:hidden}", False),
        ("path.h{display:none}", False),
        ("line{display:none} .x{display:none}", True),
        ("path{display:none} .h{display:inline}", True),
        (".h{display:inline} path{display:none}", True),
        (".h{display:none} .h{display:inline}", True),
        (".h{display:none} .h{fill:none}", False),
        ("@import 'a.css'; .h{display:none}", False),
        (".h{display:none !important}", False),
        (".x{} } .h{display:none", False),
        (".h{visibility:collapse} /* to the end .h{visibility:visible}", False),
    ],
)
def test_style_sheets_hide_elements_as_css_has_it(drawing, sheet, shown):
    body = f'<style>{sheet}</style><path class="g h" id="i" d="M0 5 L10 9"/>'
    if shown:
        assert drawing(body).length == pytest.approx(LENGTH)
        return
    with pytest.raises(InputError, match=r"got no shape.* hidden,"):
        drawing(body)
    assert drawing(body + '<path d="M0 0 h3"/>').length == pytest.approx(3.0)


@pytest.mark.parametrize(
    ("body", "length"),
    [
        (f'<g visibility="hidden">{LINE}<path visibility="visible" d="M0 0h3"/></g>', 3.0),
        (f'<g style="display:none">{LINE}<path display="inline" d="M0 0h2"/></g>', None),
        ('<style>.h{display:none}</style><path class="h" style="display:inline" d="M0 0h3"/>', 3.0),
        ('<path display="none" style="display:inline" d="M0 0h3"/>', 3.0),
        (f'<g fill="none">{LINE}<path style="stroke:#123" stroke="none" d="M0 0h3"/></g>', 3.0),
        (
            f'<style>.n{{fill:none}}</style><g class="n">{LINE}<path fill="red" d="M0 0h3"/></g>',
            3.0,
        ),
        ('<path fill="none" stroke="none" d="M0 0h3"/>', None),
        ('<style>g > path{stroke:red}</style><path fill="none" d="M0 0h3"/>', 3.0),
    ],
)
def test_what_is_hidden_holds_within(drawing, body, length):
    if length is None:
        with pytest.raises(InputError, match=r"got no shape.* hidden,"):
            drawing(body)
    else:
        assert drawing(body).length == pytest.approx(length)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ('<image id="photo" href="a.png"/>', "<image id='photo'> in line 1 is not drawn; .*Trace"),
        ("<foreignObject><p/></foreignObject>", "<foreignObject> in line 1 is not drawn"),
        ('<path clip-path="url(#c)" d="M0 0h1"/>', "clip paths are not applied: all of <path>"),
        ('<g style="mask:url(#m)"><path d="M0 0h1"/></g>', "masks are not applied: all of <g>"),
        ('<path marker-end="url(#a)" d="M0 0h1"/>', "markers, .* are not drawn: <path>"),
        ('<path stroke-dasharray="4 2" d="M0 0h1"/>', "dashed lines are drawn as full ones"),
        ('<path style="transform: scale(2)" d="M0 0h1"/>', "styles do not move or shape elements"),
        ("<style>g > .h{display:none}</style>", "style rules for 'g > .h' are not read"),
        ("<style>@media print{.h{display:none}}</style>", "style rules for '@media print'"),
        ('<path mask="url(#m)" d="M0 0h1"/>' * 13, r"masks are .*<path> in line 1, .* and 3 more"),
    ],
)
def test_what_is_not_drawn_or_not_applied_is_told(drawing, body, told):
    path = drawing(LINE + body)
    (note,) = [one for one in path.notes if "strokes" not in one]
    assert re.search(told, note)


@pytest.mark.parametrize(
    "body",
    [
        '<g clip-path="none" mask="none" style="marker:none;stroke-dasharray:none">',
        '<image display="none" href="a.png"/><g>',
        '<clipPath id="c"><rect width="3" height="3"/></clipPath><g>',
        "<style>.h{fill:red} g > .h{stroke:blue} @media print{.h{fill:none}}</style><g>",
        '<switch><foreignObject requiredExtensions="urn:x"/></switch><g>',
    ],
)
def test_nothing_is_told_where_nothing_is_left_out(drawing, body):
    assert drawing(f"{body}{LINE}</g>").notes == ()


def test_a_file_of_an_image_says_so(drawing):
    with pytest.raises(InputError, match=r"got no shape, need a path.*<image> in line 1.*trace it"):
        drawing('<image href="a.png" width="5" height="5"/>')


VIEW = 'viewBox="0 0 10 10"'


@pytest.mark.parametrize(
    ("body", "size"),
    [
        # A corner of 10 by 10, by hand in the size that it is seen in.
        (f'<svg width="40" height="20" {VIEW}>{CORNER}</svg>', (20, 20)),
        (f'<svg width="40" height="20" {VIEW} preserveAspectRatio="none">{CORNER}</svg>', (40, 20)),
        (f'<svg width="40" height="20" {VIEW} preserveAspectRatio="xMinYMax slice">{CORNER}</svg>',
         (40, 40)),
        (f'<symbol id="s" {VIEW}>{CORNER}</symbol><use href="#s" width="40" height="40"/>',
         (40, 40)),
        (f'<symbol id="s" {VIEW} width="30" height="30">{CORNER}</symbol><use href="#s"/>',
         (30, 30)),
        (f'<symbol id="s" {VIEW} preserveAspectRatio="none">{CORNER}</symbol>'
         '<use href="#s" width="50%" height="10"/>', (50, 10)),
        # As large as the view around it: 100 by 80.
        (f'<symbol id="s" {VIEW}>{CORNER}</symbol><use href="#s"/>', (80, 80)),
        (f'<svg {VIEW}>{CORNER}</svg>', (80, 80)),
        (f'<svg id="s" width="20" height="20" {VIEW}>{CORNER}</svg>'
         '<g transform="translate(30 0)"><use href="#s" x="10" width="60" height="60"/></g>',
         (100, 60)),
        (f'<symbol id="s">{CORNER}</symbol><use href="#s" width="40" height="40"/>', (10, 10)),
    ],
)  # fmt: skip
def test_symbols_and_nested_drawings_fill_their_viewports(drawing, body, size):
    path = drawing(body, 'viewBox="0 0 100 80" width="50" height="40"', blend=0.0)
    points = path(path.breaks)
    assert (points.max(axis=0) - points.min(axis=0)).tolist() == pytest.approx(size)


@pytest.mark.parametrize(
    ("aspect", "left"), [("xMinYMid", 0.0), ("xMidYMid meet", 5.0), ("xMaxYMin", 10.0)]
)
def test_a_view_box_is_aligned(drawing, aspect, left):
    nested = f'<svg width="20" height="10" {VIEW} preserveAspectRatio="{aspect}">{CORNER}</svg>'
    path = drawing(f'{nested}<path d="M0 20 h1"/>', blend=0.0, keep_order=True)
    assert path(0.0) == pytest.approx([left, 20.0])


def test_nothing_is_inherited_that_svg_does_not_inherit(drawing):
    # The x of a group and of a drawing are not those of what is in them; a circle has r = 0.
    body = '<g x="7" d="M0 0h99" r="5"><path/><circle/><rect x="1" width="3" height="2"/></g>'
    nested = '<svg x="5" y="5" width="9" height="9"><rect width="3" height="2"/></svg>'
    path = drawing(body + nested, blend=0.0)
    points = path(path.breaks)
    assert len(path.strokes) == 2
    assert points.max(axis=0) - points.min(axis=0) == pytest.approx([7.0, 7.0])
