"""Drawings in their physical size: where points of a file are on the page, by hand."""

import numpy as np
import pytest

import ulna
from ulna.errors import InputError

A5 = (0.148, 0.210)
PIXEL = 0.0254 / 96.0  # [m], of CSS
NO_SIZE = "no width or height in units of length"


def approx(points, **margin):
    return pytest.approx(np.array(points), **margin)


def page(drawing, head, across, down, **options):
    """Give where the corners of a viewBox lie: upper left, lower right."""
    line = f'<path d="M0 0 L{across} {down}"/>'
    options = {"scale": 1.0, "blend": 0.0, "keep_order": True} | options
    return drawing(line, head, **options)


@pytest.mark.parametrize(
    ("head", "units"),
    [
        # Inkscape: a unit is a millimetre.
        ('width="148mm" height="210mm" viewBox="0 0 148 210"', (148, 210)),
        # Without a viewBox a unit is a pixel.
        ('width="148mm" height="210mm"', (148 * 96 / 25.4, 210 * 96 / 25.4)),
        ('width="559.37008px" height="793.70079"', (559.37008, 793.70079)),
        # Other units of the same page: 148 mm are 5.8268 in, 419.53 pt, 34.961 pc, 592 Q.
        (f'width="{148 / 25.4}in" viewBox="0 0 148 210"', (148, 210)),
        (f'height="{210 * 72 / 25.4}pt" viewBox="0 0 148 210"', (148, 210)),
        (f'width="{148 * 6 / 25.4}pc" viewBox="0 0 148 210"', (148, 210)),
        ('width="592Q" viewBox="0 0 148 210"', (148, 210)),
        # A height of its own follows from the viewBox, as in a browser.
        ('width="148mm" viewBox="0 0 1480 2100"', (1480, 2100)),
        ('width="148mm" height="100%" viewBox="0 0 148 210"', (148, 210)),
        # Both sides are stretched by themselves.
        ('width="148mm" height="210mm" viewBox="0 0 10 30" preserveAspectRatio="none"', (10, 30)),
    ],
)
def test_a_page_of_a5_is_148_by_210_mm(drawing, head, units):
    path = page(drawing, head, *units)
    assert path.ends == approx([[0.0, A5[1]], [A5[0], 0.0]], abs=1e-9)
    assert path.notes == ()
    half = page(drawing, head, *units, scale=0.5)
    assert half.ends == approx([[0.0, 0.5 * A5[1]], [0.5 * A5[0], 0.0]], abs=1e-9)


@pytest.mark.parametrize(
    ("aspect", "left", "low"),
    [
        # 10 x 20 units on a page of 40 x 40 mm: 2 mm each, 20 mm wide, 20 mm to spare across.
        ("", 10.0, 0.0),
        ("xMidYMid", 10.0, 0.0),
        ("xMinYMid meet", 0.0, 0.0),
        ("xMaxYMin", 20.0, 0.0),
    ],
)
def test_a_view_box_is_aligned_across_the_page(drawing, aspect, left, low):
    head = f'width="40mm" height="40mm" viewBox="0 0 10 20" preserveAspectRatio="{aspect}"'
    head = head if aspect else head.partition(" preserve")[0]
    path = page(drawing, head, 10, 20)
    assert 1e3 * path.ends == approx([[left, 40.0], [left + 20.0, low]], abs=1e-9)


@pytest.mark.parametrize(
    ("aspect", "top", "low"),
    [("xMinYMin", 40.0, 20.0), ("xMinYMid", 30.0, 10.0), ("xMinYMax", 20.0, 0.0)
],
)  # fmt: skip
def test_a_view_box_is_aligned_up_the_page(drawing, aspect, top, low):
    # 20 x 10 units on 40 x 40 mm: 2 mm each, and 4 mm where the page is to be filled.
    head = f'width="40mm" height="40mm" viewBox="0 0 20 10" preserveAspectRatio="{aspect}"'
    path = page(drawing, head, 20, 10)
    assert 1e3 * path.ends[:, 1] == pytest.approx([top, low], abs=1e-9)


def test_a_view_box_may_fill_the_page_beyond_its_edges(drawing):
    # 10 x 20 units at 4 mm: as wide as the page, and 80 mm high around its middle.
    head = 'width="40mm" height="40mm" viewBox="0 0 10 20" preserveAspectRatio="xMidYMid slice"'
    assert 1e3 * page(drawing, head, 10, 20).ends == approx([[0.0, 60.0], [40.0, -20.0]], abs=1e-9)


def test_a_view_box_of_another_shape_fits_into_the_page(drawing):
    # A4 on A5: 148 / 210 mm per unit, as 210 / 297 would be too wide; 148 / 210 * 297 = 209.3143
    # of 210 mm are used, and half of the rest, 0.342857 mm, is left below and above.
    path = page(drawing, 'width="148mm" height="210mm" viewBox="0 0 210 297"', 210, 297)
    known = [[0.0, 209.657143], [148.0, 0.342857]]
    assert 1e3 * path.ends == approx(known, abs=1e-6)


def test_a_view_box_begins_at_the_corner_of_the_page(drawing):
    path = drawing('<path d="M-5 -5 H0 V5"/>', 'width="10mm" viewBox="-5 -5 10 10"', scale=1.0)
    assert 1e3 * path.ends == approx([[0.0, 10.0], [5.0, 0.0]], abs=1e-9)


def test_the_origin_is_the_corner_of_the_page_not_of_the_drawing(drawing):
    head = 'width="100mm" height="80mm" viewBox="0 0 100 80"'
    path = drawing('<path d="M30 20 H50"/>', head, scale=1.0).placed((0.2, -0.1))
    assert path.ends == approx([[0.23, -0.04], [0.25, -0.04]], abs=1e-12)


@pytest.mark.parametrize("size", ['width="100%" height="100%"', "", 'width="1em" height="0"'])
def test_without_a_physical_size_units_are_pixels_and_that_is_said(drawing, size):
    path = page(drawing, f'{size} viewBox="0 0 96 192"', 96, 192)
    assert path.ends == approx([[0.0, 0.0508], [0.0254, 0.0]], abs=1e-12)
    (note,) = path.notes
    assert NO_SIZE in note
    assert "1/96 in" in note


def test_without_a_page_the_origin_is_the_corner_of_the_drawing(drawing):
    path = drawing('<path d="M10 10 L106 10 V58"/>', scale=1.0, blend=0.0)
    assert path.ends == approx([[0.0, 48.0 * PIXEL], [96.0 * PIXEL, 0.0]], abs=1e-12)
    assert NO_SIZE in path.notes[0]
    assert "lower left corner of the box" in path.notes[1]


@pytest.mark.parametrize("size", ["", 'width="148mm" height="210mm"', 'width="100%"'])
def test_what_is_fitted_is_in_units_from_the_corner_of_the_drawing(drawing, size):
    path = drawing('<path d="M10 10 L50 10 V30"/>', f'{size} viewBox="0 0 148 210"', blend=0.0)
    assert path.fit
    assert path.ends == approx([[0.0, 20.0], [40.0, 0.0]], abs=1e-9)
    assert path.notes == ()
    assert path.scaled(0.002).ends == approx([[0.0, 0.04], [0.08, 0.0]], abs=1e-12)


@pytest.mark.parametrize("head", ['width="3.mm"', 'width="wide"', 'height="-5"'])
def test_a_page_needs_a_length(drawing, head):
    with pytest.raises(InputError, match=r"drawing\.svg:1: svg: got (width|height)="):
        page(drawing, f'{head} viewBox="0 0 96 192"', 96, 192)


def test_a_page_needs_units_of_a_usual_size(drawing):
    with pytest.raises(InputError, match=r"svg: got a viewBox in units of .* px"):
        page(drawing, 'width="148mm" viewBox="0 0 1e12 1e12"', 1, 1)


def test_a_length_for_a_scale_is_refused_with_a_way_out():
    with pytest.raises(InputError, match=r"scale: got '2 mm', need a factor.*scaled\(svg"):
        ulna.motion.read_path("svg('house.svg', scale='2 mm')")
