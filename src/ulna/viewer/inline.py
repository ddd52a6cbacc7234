"""Films that a notebook plays: H.264 inside of the page, or a .gif where there is no ffmpeg."""

from __future__ import annotations

import os
from base64 import b64encode
from dataclasses import dataclass, field
from pathlib import Path

from ulna.errors import InputError, Problem, shown
from ulna.namespaces import suggest_keywords
from ulna.progress import card
from ulna.storage import check_new, write_whole
from ulna.viewer.video import ffmpeg

LARGEST = 20_000_000  # [bytes] that a notebook is made to hold
CLIP = "data:{kind};base64,{data}"
PLAYER = '<video controls autoplay loop muted playsinline width="{wide}" src="{clip}"></video>'
PICTURE = '<img width="{wide}" src="{clip}">'


@dataclass(frozen=True, repr=False)
class InlineFilm:
    """A film in memory, which a notebook plays; `save` writes it to a file.

    Attributes
    ----------
    data : bytes
        The film as a file holds it.
    ending : str
        ".mp4", or ".gif" where it was made without ffmpeg.
    size : tuple of int
        Width and height [pixels].
    frames : int
        How many pictures it has.
    duration : float
        How long it plays [s].
    """

    data: bytes = field(repr=False)
    ending: str  # ".mp4", or ".gif" where it was made without ffmpeg
    size: tuple[int, int]  # [pixels] wide and high
    frames: int
    duration: float  # [s] that it plays

    @suggest_keywords(force="overwrite", replace="overwrite")
    def save(self, file: str | os.PathLike[str], *, overwrite: bool = True) -> None:
        """Write the film to a file.

        Parameters
        ----------
        file : path-like
            Its name ends as the film is made: `ending`.
        overwrite : bool, optional
            Whether a file that exists is replaced.

        Raises
        ------
        InputError
            For a name with another ending, and a file that is to stay.
        FileError
            If the file cannot be written.
        """
        if Path(file).suffix.lower() != self.ending:
            hint = "give animate the file, and it makes the film in that format"
            need = f"a name that ends in {self.ending}"
            raise InputError(Problem("film", shown(os.fspath(file)), need, hint))
        check_new(file, "film", overwrite=overwrite)
        write_whole(file, self.data, overwrite=overwrite)

    def __repr__(self) -> str:
        wide, high = self.size
        return (
            f"Film of {self.duration:.3g} s, {self.frames} frames of {wide} × {high} pixels, "
            f"{len(self.data) / 1000:,.0f} kB: a notebook plays it, save('film{self.ending}') "
            "writes it"
        )

    def _repr_html_(self) -> str:
        if len(self.data) > LARGEST:
            return card("Film", [repr(self), "It is too large to be kept in a notebook: save it."])
        video = self.ending == ".mp4"
        data = b64encode(self.data).decode("ascii")
        clip = CLIP.format(kind="video/mp4" if video else "image/gif", data=data)
        return (PLAYER if video else PICTURE).format(wide=self.size[0], clip=clip)


def inline_ending() -> str:
    """Return the ending of films that are played inline: .mp4 wherever ffmpeg can be found."""
    try:
        ffmpeg()
    except OSError:
        return ".gif"
    return ".mp4"
