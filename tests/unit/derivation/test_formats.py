"""Derivations on paper: what is written in any format reads back as the formula that it is."""

import base64
import functools
import hashlib
import html
import math
import re
import shutil
import subprocess
import unicodedata
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pytest
import sympy as sp

import ulna
from generated_code import LANGUAGES
from refusals import problems_of
from tabular import tabular
from ulna.derivation.formulas import DocumentTable, Equation, LatexPrinter, TextPrinter, write
from ulna.derivation.model import Partial, Rate, letter, symbol

EVERYTHING = {"payload": True, "tip_force": True, "drives": True, "gravity": "vector"}
FORMATS = ("text", "markdown", "latex", "html")
HOSTILE = '*/ <script>alert(1)</script> \\ " % $ { } # ^ ~ & _ ??( """ \'\'\' --> ]]> %}'
ARM = ulna.Arm.of(
    [
        ulna.Link(0.5, 1.25, com=0.2, inertia=0.031, com_offset=-2.5e-6, tip_mass=0.125),
        ulna.Link(0.25, 0.5, com_offset=0.01),
    ],
    [ulna.Joint(damping=0.5, rotor_inertia=1.5e-5, gear_ratio=-50.0), ulna.Joint()],
    gravity=(1.5, -9.0),
    payload=0.75,
    name="crooked",
)
SAMPLES = {
    "one link": {"links": 1},
    "all letters": {"bodies": "general", "convention": "absolute", **EVERYTHING},
    "three links": {"links": 3, "gravity": "none"},
    "numbers": {"links": None, "arm": ARM},
    "friction": {"convention": "absolute", "friction": True},
}


@pytest.fixture(scope="module", params=SAMPLES)
def sample(request, derived):
    return derived(**SAMPLES[request.param])


@pytest.fixture(scope="module")
def page():
    """Give a sample in a style, written once."""
    return functools.cache(lambda derivation, style: derivation.write(style))


def named(text):
    return ulna.derive(arm=ulna.Arm.rods([0.5], [1.0], name=text))


# ---------------------------------------------- reading formulas back, whatever wrote them

FUNCTIONS = {"cos": math.cos, "sin": math.sin, "exp": math.exp, "sign": np.sign}
FRACTIONS = {"½": "(1/2)", "⅓": "(1/3)", "¼": "(1/4)"}
GREEK = {"φ": "phi", "γ": "gamma", "τ": "tau", "ω": "omega"}
SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
DOTS = {"": 0, "\u0307": 1, "\u0308": 2, "dot": 1, "ddot": 2, "˙": 1, "¨": 2}
TEXT = re.compile(
    r"(?P<slope>∂(?P<of>\w)/∂(?P<by>\w[\u0307\u0308]?[₀-₉]*))"
    r"|(?P<rate>d/dt)|(?P<fraction>[½⅓¼]|\d+/\d+)|(?P<number>\d+(\.\d+)?(e[+-]\d+)?)"
    r"|(?P<function>cos|sin|exp|sign)(?=[(²])"
    r"|(?P<letter>[A-Za-zφγτω])(?P<dots>[\u0307\u0308]?)(?P<low>[₀-₉]+|_[A-Za-z0-9]+)?"
    r"|(?P<power>[²³])|(?P<mark>[-+−()=/])|(?P<air>\s+)"
)
LETTER = (
    r"(?:\\(?P<dots{0}>d?dot){{(?P<dotted{0}>\\?[a-z]+)}}|(?P<letter{0}>\\(?:phi|gamma|tau|omega)|[A-Za-z]))"
    r"(?:_{{(?:\\mathrm{{)?(?P<low{0}>\w+?)}}?}})?"
)
LATEX = re.compile(
    r"(?P<slope>\\frac{\\partial (?P<of>L)}{\\partial " + LETTER.format("_by") + "})"
    r"|(?P<rate>\\frac{d}{dt})|\\frac{(?P<over>\d+)}{(?P<under>\d+)}"
    r"|(?P<number>\d+(\.\d+)?)(?: \\times 10\^{(?P<ten>-?\d+)})?"
    r"|\\(?:operatorname{)?(?P<function>cos|sin|exp|sign)}?|(?P<mark>\\left\(|\\right\)|[-+()=/])"
    r"|(?P<air>\s+|\\,|\\\\|&|\\quad|{}|\\(?:begin|end){aligned})|\^{(?P<power>\d)}"
    "|" + LETTER.format("")
)


def name_of(base, dots, low):
    base = GREEK.get(base, base.removeprefix("\\"))
    return base + "d" * DOTS[dots or ""] + (low or "").removeprefix("_").translate(SUBSCRIPTS)


def scan(pattern, text):
    """Cut text into the marks that the pattern knows; nothing may be left over."""
    place = 0
    while place < len(text):
        found = pattern.match(text, place)
        assert found, f"cannot read {text[place : place + 30]!r}"
        place = found.end()
        yield found.groupdict()


def read_text(formula):
    for part in scan(TEXT, formula):
        if part["slope"]:
            by = name_of(part["by"][0], part["by"][1:2] if part["by"][1] in DOTS else "", "")
            low = part["by"].lstrip("qφ\u0307\u0308").translate(SUBSCRIPTS)
            yield "operand", f"known['{part['of']}|{by}{low}']"
        elif part["rate"]:
            yield "function", "rate"
        elif part["fraction"]:
            yield "operand", FRACTIONS.get(part["fraction"], f"({part['fraction']})")
        elif part["number"]:
            yield "operand", part["number"]
        elif part["function"]:
            yield "function", part["function"]
        elif part["letter"]:
            yield "operand", f"known['{name_of(part['letter'], part['dots'], part['low'])}']"
        elif part["power"]:
            yield "power", {"²": "**2", "³": "**3"}[part["power"]]
        elif part["mark"]:
            yield "mark", part["mark"].replace("−", "-")


def read_latex(formula):
    for part in scan(LATEX, formula):
        if part["slope"]:
            base = part["dotted_by"] or part["letter_by"]
            by = name_of(base, part["dots_by"], part["low_by"])
            yield "operand", f"known['{part['of']}|{by}']"
        elif part["rate"]:
            yield "function", "rate"
        elif part["over"]:
            yield "operand", f"({part['over']}/{part['under']})"
        elif part["number"]:
            yield "operand", part["number"] + (f"e{part['ten']}" if part["ten"] else "")
        elif part["function"]:
            yield "function", part["function"]
        elif part["mark"]:
            yield "mark", part["mark"].removeprefix("\\left").removeprefix("\\right")
        elif part["power"]:
            yield "power", f"**{part['power']}"
        elif not part["air"]:
            name = name_of(part["dotted"] or part["letter"], part["dots"], part["low"])
            yield "operand", f"known['{name}']"


def read_mathml(element):
    """Read what a browser would set, element by element."""
    kind, parts = element.tag, list(element)
    if kind == "mfrac":
        yield mathml_fraction(*parts)
    elif kind == "msup":
        yield from read_mathml(parts[0])
        yield "power", f"**{parts[1].text}"
    elif kind in ("msub", "msubsup", "mi", "mover"):
        yield from mathml_marks(element)
    elif kind == "mn":
        yield "operand", element.text
    elif kind == "mo":
        # An applied function has a mark of its own, which nobody sees.
        yield "mark", element.text.replace("−", "-").replace("\u2061", "")
    elif [part.tag for part in parts] == ["mn", "mo", "msup"]:
        yield "operand", f"{parts[0].text}e{parts[2][1].text.replace('−', '-')}"
    else:
        assert kind in ("math", "mtable", "mtr", "mtd", "mrow", "mspace")
        for part in parts:
            yield from read_mathml(part)


def mathml_fraction(over, under):
    """Read a fraction: of numbers, of the time derivative, or of a partial one."""
    if over.tag == "mn":
        return "operand", f"({over.text}/{under.text})"
    if over.tag == "mi":
        return "function", "rate"
    assert (over[0].text, under[0].text) == ("∂", "∂")
    of, by = (mathml_letter(part[1])[0] for part in (over, under))
    return "operand", f"known['{of}|{by}']"


def mathml_marks(element):
    name, power = mathml_letter(element)
    if name in FUNCTIONS:
        yield "function", name
    else:
        yield "operand", f"known['{name}']"
    if power:
        yield "power", f"**{power}"


def mathml_letter(element):
    """Give the name of a letter, and the power that it is raised to in the same element."""
    low = power = ""
    if element.tag in ("msub", "msubsup"):
        element, low, *rest = element
        low, power = "".join(low.itertext()), rest[0].text if rest else ""
    dots = ""
    if element.tag == "mover":
        element, mark = element
        dots = mark.text
    return name_of(element.text, dots, low), power


def sides(marks, known):
    """Work out every side of an equation from its marks; what stands side by side is a product."""
    texts, before = [""], None
    for kind, mark in marks:
        if mark == "=":
            texts.append("")
            before = None
            continue
        starts = kind in ("operand", "function") or mark == "("
        ends = before is not None and (before[0] in ("operand", "power") or before[1] == ")")
        texts[-1] += ("*" if starts and ends else "") + mark
        before = (kind, mark) if mark else before
    scope = {"known": known, "rate": lambda x: 7.0 * x, **FUNCTIONS}
    return [eval(text, scope) for text in texts]


def plain(formula):
    """Return a formula in SymPy's own terms, its decimals with the six digits that are printed."""
    rounded = {number: sp.Float(f"{float(number):.6g}") for number in formula.atoms(sp.Float)}
    formula = formula.xreplace(rounded).replace(Rate, lambda inside: 7 * inside)
    return formula.replace(Partial, lambda of, by: sp.Symbol(f"{of}|{by}"))


class Known(dict):
    """A number for every letter, drawn when it is first asked for."""

    def __init__(self):
        super().__init__()
        self.random = np.random.default_rng(4)

    def __missing__(self, name):
        return self.setdefault(name, float(self.random.uniform(0.5, 2.0)))


def text_equations(page):
    """Give the equations of a text: set in by two letters, their further lines by more."""
    found = []
    for line in page.splitlines():
        if re.match(r" {5}", line) and found:
            found[-1] += " " + line.strip()
        elif re.match(r"  \S.* =( |$)", line):
            found.append(line.strip())
    return [list(read_text(formula)) for formula in found]


def display_equations(page, start, end):
    found = re.findall(f"^{start}\n(.*?)\n{end}$", page, flags=re.DOTALL | re.MULTILINE)
    return [list(read_latex(formula)) for formula in found]


def html_equations(page):
    found = re.findall(r'<math display="block">.*?</math>', page)
    return [list(read_mathml(ElementTree.fromstring(formula))) for formula in found]


READERS = {
    "text": text_equations,
    "markdown": lambda page: display_equations(page, r"\$\$", r"\$\$"),
    "latex": lambda page: display_equations(
        page, r"(?:\\begin{align\*}|\\\[)", r"(?:\\end{align\*}|\\\])"
    ),
    "html": html_equations,
}


@pytest.mark.parametrize("style", FORMATS)
def test_every_equation_reads_back_as_what_it_is(sample, page, style, worth):
    known = Known()
    written = [
        block for step in sample.steps for block in step.blocks if isinstance(block, Equation)
    ]
    read = READERS[style](page(sample, style))
    assert len(read) == len(written)
    for marks, equation in zip(read, written, strict=True):
        expected = [worth(plain(side), known) for side in (*equation.left, equation.right)]
        expected += [float(equation.number)] if equation.number else []
        assert sides(marks, known) == pytest.approx(expected, rel=1e-12, abs=1e-12)


# ----------------------------------------------------------------------------- the pages


@tabular(
    ("style", "heading"),
    [
        ("text", r"^(\d+)\. (.*)\n-+$"),
        ("markdown", r"^## (\d+)\. (.*)$"),
        ("latex", r"^\\section(){(.*)}$"),
        ("html", r'^<h2 id="[a-z0-9-]+"><span class="step">(\d+)</span> (.*)</h2>$'),
    ],
)
def test_every_format_has_its_title_and_every_step_in_order(sample, page, style, heading):
    written = page(sample, style)
    above = html.unescape(written.partition("What is given")[0])
    assert sample.title in " ".join(above.split())
    found = re.findall(heading, written, flags=re.MULTILINE)
    titles = [html.unescape(title).replace("--", "–") for _, title in found]
    assert titles == [step.title for step in sample.steps]
    numbers = [int(number) for number, _ in found if number]
    assert numbers == (list(range(1, len(titles) + 1)) if style != "latex" else [])


def test_every_letter_is_explained_or_defined(sample):
    blocks = [block for step in sample.steps for block in step.blocks]
    table = blocks[1]
    assert isinstance(table, DocumentTable)
    explained = {row[0] for row in table.rows}
    for block in blocks:
        if isinstance(block, Equation):
            explained |= {used for side in block.left for used in side.free_symbols}
    for block in blocks:
        if isinstance(block, Equation):
            for used in block.right.free_symbols:
                base, _, low = letter(used)
                still = symbol(base, low) if base in ("q", "phi") else used
                assert still in explained, f"{used} is never explained"


def test_the_numbers_of_the_arm_stand_beside_its_letters(derived, page, letters):
    known = {name: float(f"{value:.6g}") for name, value in letters(ARM).items()}
    given, *_ = page(derived(links=None, arm=ARM), "text").partition("Positions")
    found = re.findall(r"^  (\S+) .*  (-?[\d.]+(?:e-\d+)?)$", given, flags=re.MULTILINE)
    assert len(found) == 2 * len("lmcdIpJNb") + len(["m_P", "gamma_x", "gamma_y"])
    for written, number in found:
        assert sides(read_text(written), known) == [float(number)]


def test_a_page_allows_its_own_style_and_nothing_else(derived, page):
    written = page(derived(links=None, arm=ARM), "html")
    policy = html.unescape(re.search(r'Content-Security-Policy" content="([^"]*)"', written)[1])
    style = re.search(r"<style>(.*?)</style>", written, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert policy.startswith(f"default-src 'none'; script-src 'none'; style-src 'sha256-{digest}'")
    assert " style=" not in written
    assert "<script" not in written


def test_text_fits_a_terminal(sample, page):
    for line in page(sample, "text").splitlines():
        assert sum(not unicodedata.combining(letter) for letter in line) <= 96, line


def test_text_and_markdown_are_what_python_and_notebooks_show(derived):
    derivation = derived(1)
    assert str(derivation) == derivation.text()
    assert derivation._repr_markdown_() == derivation.markdown()
    assert len(repr(derivation)) < 1000


def without_escapes(page):
    return re.sub(r"\\[\\{}%$#&_]", "", page)


def test_latex_closes_what_it_opens_and_needs_no_letters_beyond_ascii(sample, page):
    written = page(sample, "latex")
    assert written.isascii()
    depth = 0
    for mark in re.findall(r"[{}]", without_escapes(written)):
        depth += 1 if mark == "{" else -1
        assert depth >= 0
    assert depth == 0
    opened = []
    for what, name in re.findall(r"\\(begin|end){(\w+)}", written):
        if what == "begin":
            opened.append(name)
        else:
            assert opened.pop() == name
    assert not opened
    assert written.count("\\begin{align*}\n") == written.count("\n\\end{align*}")
    assert written.count("\\[\n") == written.count("\n\\]")
    assert written.rstrip().endswith("\\end{document}")


def set_in_type(page, folder):
    """Run LaTeX on a page; gives its exit code and what it complained about."""
    if shutil.which("pdflatex") is None:
        pytest.skip("no pdflatex on this machine: whether LaTeX takes the file is not tested")
    (folder / "page.tex").write_text(page, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    said = done.stdout.decode("utf-8", "replace")
    return done.returncode, [line for line in said.splitlines() if line.startswith("!")]


def test_latex_sets_it_as_it_is(sample, page, tmp_path):
    assert set_in_type(page(sample, "latex"), tmp_path) == (0, [])


class Nesting(HTMLParser):
    """Reads a page as a browser does, and notes what is not closed where it was opened."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.seen, self.wrong, self.heading = [], [], [], ""

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data):
        if self.open and self.open[-1] == "h1":
            self.heading += data


def nesting(page):
    reader = Nesting()
    reader.feed(page)
    reader.close()
    return reader


def test_html_is_well_formed_and_needs_nothing_from_elsewhere(sample, page):
    written = page(sample, "html")
    reader = nesting(written)
    assert (reader.open, reader.wrong) == ([], [])
    tags = {tag for tag, _ in reader.seen}
    assert not tags & {"script", "link", "img", "iframe", "object", "embed", "base", "a", "svg"}
    for _, attributes in reader.seen:
        assert not {"src", "href", "style", "srcset"} & attributes.keys()
        assert not any(name.startswith("on") for name in attributes)
    for far in ("http:", "https:", "url(", "@import", "//"):
        assert far not in written
    assert '<meta charset="utf-8">' in written
    for formula in re.findall(r"<math.*?</math>", written):
        ElementTree.fromstring(formula)


# ----------------------------------------------------------------------- names of all kinds


def test_a_hostile_name_is_only_a_name_in_html():
    page = named(HOSTILE).html()
    reader = nesting(page)
    assert (reader.open, reader.wrong) == ([], [])
    assert "script" not in {tag for tag, _ in reader.seen}
    assert reader.heading.startswith(HOSTILE)


def test_a_hostile_name_is_only_a_name_in_latex(tmp_path):
    page = named(HOSTILE).latex()
    plain = without_escapes(page)
    assert plain.count("{") == plain.count("}")
    assert set_in_type(page, tmp_path) == (0, [])


def test_a_hostile_name_opens_no_formula_and_no_element_in_markdown():
    heading = named(HOSTILE).markdown().splitlines()[0]
    assert not re.search(r"(?<!\\)[$<]", heading)


def test_latex_takes_a_name_in_any_letters(tmp_path):
    printable = "".join(map(chr, [*range(0x20, 0x7F), *range(0xA0, 0x100)]))
    for name in (printable, "Łódź — 腕 рука α → φ"):
        assert set_in_type(named(name).latex(), tmp_path) == (0, [])


# ------------------------------------------------------------------------- single formulas


@pytest.mark.parametrize(
    ("formula", "text", "latex"),
    [
        (symbol("v", "E1") ** 2, "v_E1²", r"v_{\mathrm{E1}}^{2}"),
        (sp.S.Zero, "0", "0"),
        (sp.Float(1.5e-5) * symbol("g"), "1.5e-05 g", r"1.5 \times 10^{-5} \, g"),
        (sp.Mul(2, symbol("l", 1) - symbol("l", 2), evaluate=False), "2 (l₁ − l₂)", None),
        (
            symbol("l", 1) ** 2 / symbol("omega", "s1") ** 2,
            "l₁²/ω_s1²",
            r"l_{1}^{2} / \omega_{s1}^{2}",
        ),
        (1 / symbol("l", 1), "1/l₁", "1 / l_{1}"),
        (sp.sign(symbol("q", 1, 1)), "sign(q\u0307₁)", r"\operatorname{sign}(\dot{q}_{1})"),
    ],
)
def test_formulas_are_written_as_a_person_would(formula, text, latex):
    assert write(formula, TextPrinter()) == text
    if latex is not None:
        assert write(formula, LatexPrinter()) == latex


def test_a_number_alone_is_not_multiplied_by_one():
    # Two rods of 1 m and 1 kg have M11 = 5/3 + cos q2.
    page = ulna.derive(arm=ulna.preset("unit")).text()
    assert "M₁₁ = 1.66667 + cos(q₂)" in page


@pytest.mark.parametrize("style", [*FORMATS, *LANGUAGES])
def test_write_knows_every_format_by_name(derived, style):
    derivation = derived(1)
    method = getattr(derivation, style, None)
    assert derivation.write(style) == (method() if method else derivation.code(style))


@pytest.mark.parametrize("style", ["htlm", "word", 7, None])
def test_an_unknown_format_is_refused_with_the_known_ones(derived, style):
    (problem,) = problems_of(lambda: derived(1).write(style))
    known = ", ".join([*FORMATS, *LANGUAGES])
    assert (problem.what, problem.need) == ("format", f"one of {known}")
    assert ("html" in problem.hint) == (style == "htlm")
