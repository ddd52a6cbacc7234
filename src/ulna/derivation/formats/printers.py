"""How a formula is put on paper: the few marks a derivation needs, in text, LaTeX and MathML."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from html import escape

from ulna.derivation.symbols import Letter

GREEK = {"phi": "φ", "gamma": "γ", "tau": "τ", "omega": "ω"}
SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
SUPERSCRIPTS = {2: "²", 3: "³"}
FRACTIONS = {(1, 2): "½", (1, 3): "⅓", (1, 4): "¼"}
DOTS = ("", "\N{COMBINING DOT ABOVE}", "\N{COMBINING DIAERESIS}")


class FormulaPrinter(ABC):
    """A way to write formulas; each method returns the finished text of one mark."""

    minus: str
    plus: str
    equals: str

    @abstractmethod
    def letter(self, letter: Letter, exponent: int = 1) -> str: ...
    @abstractmethod
    def number(self, numerator: int, denominator: int) -> str: ...
    @abstractmethod
    def decimal(self, text: str) -> str: ...
    @abstractmethod
    def power(self, base: str, exponent: int) -> str: ...
    @abstractmethod
    def call(self, name: str, argument: str, exponent: int) -> str: ...
    @abstractmethod
    def bracket(self, inner: str) -> str: ...
    @abstractmethod
    def product(self, factors: Sequence[str]) -> str: ...
    @abstractmethod
    def partial(self, of: str, by: str) -> str: ...
    @abstractmethod
    def rate(self, of: str) -> str: ...


class TextPrinter(FormulaPrinter):
    """Letters that a terminal can show."""

    minus, plus, equals = "−", "+", "="

    def letter(self, letter: Letter, exponent: int = 1) -> str:
        """Write a letter as q̇₂; a subscript that is no number follows as in m_P."""
        base, dots, subscript = letter
        digits = subscript.isdigit()
        tail = subscript.translate(SUBSCRIPTS) if digits else "_" * bool(subscript) + subscript
        return GREEK.get(base, base) + DOTS[dots] + tail + SUPERSCRIPTS.get(exponent, "")

    def number(self, numerator: int, denominator: int) -> str:
        """Write ½ or 1/12."""
        plain = str(numerator) if denominator == 1 else f"{numerator}/{denominator}"
        return FRACTIONS.get((numerator, denominator), plain)

    def decimal(self, text: str) -> str:
        """Write a number as it came."""
        return text

    def power(self, base: str, exponent: int) -> str:
        """Write x²."""
        return base + SUPERSCRIPTS[exponent]

    def call(self, name: str, argument: str, exponent: int) -> str:
        """Write cos²(x)."""
        return f"{name}{SUPERSCRIPTS.get(exponent, '')}({argument})"

    def bracket(self, inner: str) -> str:
        """Write (x)."""
        return f"({inner})"

    def product(self, factors: Sequence[str]) -> str:
        """Write factors side by side."""
        return " ".join(factors)

    def partial(self, of: str, by: str) -> str:
        """Write ∂L/∂q."""
        return f"∂{of}/∂{by}"

    def rate(self, of: str) -> str:
        """Write d/dt (x)."""
        return f"d/dt ({of})"


class LatexPrinter(FormulaPrinter):
    """Math mode of LaTeX, as Markdown pages read it too."""

    minus, plus, equals = "-", "+", "="

    def letter(self, letter: Letter, exponent: int = 1) -> str:
        r"""Write a letter as \dot{q}_{2}."""
        base, dots, subscript = letter
        name = f"\\{base}" if base in GREEK else base
        dotted = (name, f"\\dot{{{name}}}", f"\\ddot{{{name}}}")[dots]
        slanted = subscript.isdigit() or subscript.islower() or len(subscript) == 1
        below = subscript if slanted else f"\\mathrm{{{subscript}}}"
        raised = f"^{{{exponent}}}" if exponent > 1 else ""
        return dotted + f"_{{{below}}}" * bool(subscript) + raised

    def number(self, numerator: int, denominator: int) -> str:
        r"""Write \frac{1}{12}."""
        return str(numerator) if denominator == 1 else f"\\frac{{{numerator}}}{{{denominator}}}"

    def decimal(self, text: str) -> str:
        """Write 1.5 and, where it came as 1.5e-05, a power of ten."""
        digits, _, exponent = text.partition("e")
        return f"{digits} \\times 10^{{{int(exponent)}}}" if exponent else digits

    def power(self, base: str, exponent: int) -> str:
        """Write x^{2}."""
        return f"{base}^{{{exponent}}}"

    def call(self, name: str, argument: str, exponent: int) -> str:
        r"""Write \cos^{2}(x)."""
        raised = f"^{{{exponent}}}" if exponent > 1 else ""
        return f"\\{name}{raised}({argument})"

    def bracket(self, inner: str) -> str:
        """Write (x)."""
        return f"({inner})"

    def product(self, factors: Sequence[str]) -> str:
        """Write factors side by side."""
        return " \\, ".join(factors)

    def partial(self, of: str, by: str) -> str:
        """Write the fraction of a partial derivative."""
        return f"\\frac{{\\partial {of}}}{{\\partial {by}}}"

    def rate(self, of: str) -> str:
        """Write the time derivative of what stands in brackets."""
        return f"\\frac{{d}}{{dt}} \\left( {of} \\right)"


class MathMLPrinter(FormulaPrinter):
    """Presentation MathML, which browsers set without any help."""

    minus, plus, equals = "<mo>−</mo>", "<mo>+</mo>", "<mo>=</mo>"

    def letter(self, letter: Letter, exponent: int = 1) -> str:
        """Write a letter with its dots over it and its subscript under it."""
        base, dots, subscript = letter
        name = f"<mi>{GREEK.get(base, escape(base))}</mi>"
        if dots:
            # As an accent proper the dots run into the letter in some fonts.
            mark = f'<mo mathsize="110%">{"˙" if dots == 1 else "¨"}</mo>'
            name = f"<mover>{name}{mark}</mover>"
        if not subscript:
            return name if exponent == 1 else self.power(name, exponent)
        kind = "mn" if subscript.isdigit() else "mi"
        # Indices are letters of their own, which one element would set upright.
        marks = list(subscript) if subscript.islower() else [subscript]
        below = "".join(f"<{kind}>{escape(mark)}</{kind}>" for mark in marks)
        below = f"<mrow>{below}</mrow>" if len(marks) > 1 else below
        if exponent == 1:
            return f"<msub>{name}{below}</msub>"
        return f"<msubsup>{name}{below}<mn>{exponent}</mn></msubsup>"

    def number(self, numerator: int, denominator: int) -> str:
        """Write a whole number, or a fraction."""
        if denominator == 1:
            return f"<mn>{numerator}</mn>"
        return f"<mfrac><mn>{numerator}</mn><mn>{denominator}</mn></mfrac>"

    def decimal(self, text: str) -> str:
        """Write 1.5 and, where it came as 1.5e-05, a power of ten."""
        digits, _, exponent = text.partition("e")
        if not exponent:
            return f"<mn>{digits}</mn>"
        power = f"<msup><mn>10</mn><mn>{int(exponent)}</mn></msup>".replace("-", "−")
        return f"<mrow><mn>{digits}</mn><mo>×</mo>{power}</mrow>"

    def power(self, base: str, exponent: int) -> str:
        """Write x²."""
        return f"<msup><mrow>{base}</mrow><mn>{exponent}</mn></msup>"

    def call(self, name: str, argument: str, exponent: int) -> str:
        """Write cos²(x)."""
        head = f"<mi>{name}</mi>"
        head = self.power(head, exponent) if exponent > 1 else head
        return f"<mrow>{head}<mo>&#x2061;</mo>{self.bracket(argument)}</mrow>"

    def bracket(self, inner: str) -> str:
        """Write (x)."""
        return f'<mrow><mo stretchy="false">(</mo>{inner}<mo stretchy="false">)</mo></mrow>'

    def product(self, factors: Sequence[str]) -> str:
        """Write factors side by side, with a little air."""
        air = '<mspace width="0.17em"/>'
        return f"<mrow>{air.join(factors)}</mrow>"

    def partial(self, of: str, by: str) -> str:
        """Write the fraction of a partial derivative."""
        return f"<mfrac><mrow><mo>∂</mo>{of}</mrow><mrow><mo>∂</mo>{by}</mrow></mfrac>"

    def rate(self, of: str) -> str:
        """Write the time derivative of what stands in brackets."""
        fraction = "<mfrac><mi>d</mi><mrow><mi>d</mi><mi>t</mi></mrow></mfrac>"
        return f"<mrow>{fraction}<mo>(</mo>{of}<mo>)</mo></mrow>"
