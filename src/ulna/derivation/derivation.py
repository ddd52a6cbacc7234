"""The finished derivation: its matrices, its steps, and every way to write them down."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import sympy as sp

from ulna.arm import Arm, unmodelled
from ulna.derivation.derivation_options import DerivationOptions
from ulna.derivation.derivation_steps import DerivationSteps
from ulna.derivation.formats import (
    FORMATS,
    LANGUAGES,
    source_code,
    to_html,
    to_latex,
    to_markdown,
    to_text,
)
from ulna.derivation.formulas import Step
from ulna.derivation.lagrange import Mechanics
from ulna.derivation.model import Model, letters
from ulna.derivation.numeric_check import Check, check, values
from ulna.errors import InputError, Problem, did_you_mean, shown
from ulna.namespaces import first_guesses, no_attribute

COUNT = {1: "one link", 2: "two links", 3: "three links", 4: "four links"}
BODIES = {"rods": "uniform rods", "points": "point masses", "general": "any bodies"}
ONE_BODY = {"rods": "a uniform rod", "points": "a point mass", "general": "any body"}
ANGLES = {"relative": "joint angles", "absolute": "absolute angles"}


# What students and users of other software ask for first.
_GUESSES = first_guesses("Derivation")


@dataclass(frozen=True)
class Derivation:
    """The Lagrangian derivation of an arm, as `ulna.derive` returns it.

    Matrices, energies and equations are SymPy's, in the constants that `constants` defines.
    `text()`, `markdown()`, `latex()` and `html()` write the steps, `code(language)` a source file.

    Parameters
    ----------
    options : DerivationOptions
        What is derived.
    arm : Arm, optional
        Arm whose numbers are put in.

    Attributes
    ----------
    mechanics : Mechanics
        The energies and all that follows from them.
    check : Check
        How well the results agree with the closed form in numbers.

    Examples
    --------
    >>> import ulna
    >>> found = ulna.derive(1)
    >>> found.lagrangian
    a11*qd1**2/2 - g*s1*sin(q1)
    >>> found.constants
    {a11: l1**2*m1/3, s1: l1*m1/2}
    """

    options: DerivationOptions
    arm: Arm | None = None
    mechanics: Mechanics = field(init=False, repr=False)
    check: Check = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "mechanics", Mechanics(Model(self.options)))
        object.__setattr__(self, "check", check(self.mechanics, self.arm))

    @property
    def title(self) -> str:
        """What the derivation is of, in a line."""
        o = self.options
        extras = [
            words
            for wanted, words in (
                (o.payload, "a payload"),
                (o.tip_force, "a force at the tip"),
                (o.drives, self._drives),
            )
            if wanted
        ]
        listed = " and ".join(filter(None, (", ".join(extras[:-1]), *extras[-1:])))
        flat = ", without gravity" * (o.gravity == "none")
        tail = (f", with {listed}" if extras else "") + flat
        bodies = (ONE_BODY if o.links == 1 else BODIES)[o.bodies]
        about = f"{COUNT[o.links]}, {bodies}, {ANGLES[o.convention]}{tail}"
        name = self.arm.name if self.arm else ""
        return f"{name}: {about}" if name else about.capitalize()

    @property
    def _drives(self) -> str:
        joints = self.arm.joints if self.arm else ()
        geared = not joints or any(joint.rotor_inertia for joint in joints)
        damped = not joints or any(joint.damping for joint in joints)
        if geared and damped:
            return "damped geared motors"
        return "geared motors" if geared else "damped joints"

    @property
    def coordinates(self) -> tuple[sp.Symbol, ...]:
        """The angles: q of the joints, or φ of the links [rad]."""
        return self.mechanics.model.coordinates

    @property
    def rates(self) -> tuple[sp.Symbol, ...]:
        """The first time derivatives of the coordinates [rad/s]."""
        return self.mechanics.model.rates

    @property
    def accelerations(self) -> tuple[sp.Symbol, ...]:
        """The second time derivatives of the coordinates [rad/s²]."""
        return self.mechanics.model.accelerations

    @property
    def kinetic_energy(self) -> sp.Expr:
        """K, in the constants [J]."""
        return self.mechanics.kinetic_energy

    @property
    def potential_energy(self) -> sp.Expr:
        """V, in the constants; zero for masses at the height of the base [J]."""
        return self.mechanics.potential_energy

    @property
    def lagrangian(self) -> sp.Expr:
        """L = K − V, in the constants [J]."""
        return self.kinetic_energy - self.potential_energy

    @property
    def equations(self) -> tuple[sp.Eq, ...]:
        """The equations of motion, one a coordinate: M q̈ + C q̇ + G = what acts on it [N·m]."""
        m, model = self.mechanics, self.mechanics.model
        inertia = m.mass_matrix * sp.Matrix(model.accelerations)
        moving = inertia + m.velocity_terms + m.gravity
        acting = (m.motor(k) + m.pull(k) - m.drag(k) for k in range(model.n))
        return tuple(sp.Eq(left, right) for left, right in zip(moving, acting, strict=True))

    @property
    def mass_matrix(self) -> sp.Matrix:
        """M, in the constants."""
        return self.mechanics.mass_matrix

    @property
    def coriolis_matrix(self) -> sp.Matrix:
        """C by Christoffel symbols, in the constants."""
        return self.mechanics.coriolis_matrix

    @property
    def gravity(self) -> sp.Matrix:
        """G, in the constants."""
        return self.mechanics.gravity

    @property
    def constants(self) -> dict[sp.Symbol, sp.Expr]:
        """Every constant with its definition in masses and lengths."""
        return dict(self.mechanics.constants)

    @property
    def symbols(self) -> dict[str, sp.Symbol]:
        """Every letter by its name, such as "q1", "qd1", "m1" and "a11", to substitute for."""
        m = self.mechanics.model
        known = [s for s, _, _ in letters(m)]
        found = (*m.coordinates, *m.rates, *m.accelerations, *known, *self.mechanics.constants)
        return {s.name: s for s in found}

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The steps, from what is given to the check."""
        names = list(unmodelled(self.arm)) if self.arm is not None else []
        left_out = " and ".join(names).capitalize()
        note = f"{left_out}, which this arm has, is left out." if names else ""
        return DerivationSteps(self.mechanics, self.check, self._numbers, note).steps()

    def text(self, *, spell: Callable[[str], str] = str) -> str:
        """Write the steps as plain text.

        Parameters
        ----------
        spell : callable, optional
            Replaces letters that cannot be shown.

        Returns
        -------
        str
            Lines of at most 96 characters.
        """
        return to_text(self.title, self.steps, spell)

    def markdown(self) -> str:
        """Write the steps as Markdown, formulas in LaTeX between dollar signs.

        Returns
        -------
        str
            Markdown.
        """
        return to_markdown(self.title, self.steps)

    def latex(self) -> str:
        """Write the steps as a LaTeX document.

        Returns
        -------
        str
            Source that LaTeX compiles as it is.
        """
        return to_latex(self.title, self.steps)

    def html(self) -> str:
        """Write the steps as one HTML file that needs no other.

        Returns
        -------
        str
            An HTML page with formulas in MathML.
        """
        return to_html(self.title, self.steps)

    def write(self, format: str) -> str:  # noqa: A002 - the word that users know
        """Write the derivation in any format or language by its name.

        Parameters
        ----------
        format : {"text", "markdown", "latex", "html", "python", "c", "matlab"}
            A format of the steps, or a programming language.

        Returns
        -------
        str
            Content of a file.

        Raises
        ------
        InputError
            For any other name.
        """
        if format in FORMATS:
            return FORMATS[format](self.title, self.steps)
        if format in LANGUAGES:
            return self.code(format)
        known = (*FORMATS, *LANGUAGES)
        need, hint = f"one of {', '.join(known)}", did_you_mean(str(format), known)
        raise InputError(Problem("format", shown(format), need, hint))

    def code(self, language: str, *, name: str = "arm_model") -> str:
        """Write M, C, G, inverse dynamics and, for two links, inverse kinematics as source code.

        Parameters
        ----------
        language : {"python", "c", "matlab"}
            Programming language.
        name : str, optional
            Name of the MATLAB file's function.

        Returns
        -------
        str
            A source file that needs no other.

        Raises
        ------
        InputError
            For any other language.
        """
        if language in LANGUAGES:
            return source_code(self.mechanics, self.title, self._numbers, language, name)
        need, hint = f"one of {', '.join(LANGUAGES)}", did_you_mean(str(language), LANGUAGES)
        raise InputError(Problem("language", shown(language), need, hint))

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            raise no_attribute(self, name, _GUESSES)

    def __str__(self) -> str:
        return self.text()

    def _repr_markdown_(self) -> str:
        return self.markdown()

    def _repr_html_(self) -> str:
        return to_html(self.title, self.steps, page=False)

    @property
    def _numbers(self) -> dict[sp.Symbol, float]:
        return values(self.arm, self.options) if self.arm else {}
