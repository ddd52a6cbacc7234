"""Drawings: SVG files with mistakes in their elements, paths, transforms and bytes."""

DRAWING = """\
<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="100mm" height="50mm" viewBox="0 0 100 50">
  <g transform="translate(5 5) rotate(10) scale(0.9, 0.9)">
    <path d="M 10 10 L 30 10 C 40 10 40 30 30 30 Q 20 40 10 30 A 5 5 0 0 1 10 20 Z" stroke="red"/>
  </g>
</svg>
"""
SHAPES = [
    '<rect x="5" y="5" width="20" height="10" rx="2"/>', '<circle cx="20" cy="20" r="10"/>',
    '<polyline points="0,0 10,5 20,0 30,5"/>', '<polygon points="0,0 10,5 20,0"/>',
    '<line x1="0" y1="0" x2="9" y2="9"/>',
    '<ellipse cx="20" cy="20" rx="10" ry="5" transform="matrix(1 0 0 1 2 3)"/>',
]  # fmt: skip
PIECES = [
    *SHAPES, "M ", "m 1 1", " L 5 5", " c 1 2 3 4 5 6", " a 1 1 0 0 1 2 2", " z", " H 1e9",
    " V nan", "h 0", "1e308", "-", 'transform="', "matrix(nan 0 0 1 0 0)", "rotate(", "scale(0)",
    "skewX(90)", 'viewBox="0 0 0 0"', 'width="0"', '"', "<", ">", "</g>", "<g>", "&amp;", "&x;",
    "<!DOCTYPE svg>", "<!-- -->", "<![CDATA[", "<text>a</text>", "<use href='#a'/>", 'd="',
    "xmlns:x=''", "<style>", "100%", "1in", "1e-300",
]  # fmt: skip


def drawing(shape):
    return DRAWING.replace("<g ", f"{shape}<g ", 1) if shape else DRAWING


def test_no_drawing_brings_ulna_down(fuzz, tools):
    def case(raw, *words):
        plan = ["plan", "unit", "drawing.svg", "--duration", "2 s", "--out", "plan", *words]
        return tools.case(*plan, files={"drawing.svg": raw}, outputs=["plan"])

    def draw(dice):
        text = tools.mutated(dice, drawing(dice.choice(["", *SHAPES])), PIECES, most=3)
        raw = tools.encoded(text)
        return case(tools.damaged(dice, raw, 1) if dice.random() < 0.2 else raw)

    fuzz([case(DRAWING.encode())], draw, 20)
