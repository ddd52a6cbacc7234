"""Writing pictures into a film, .mp4 or .gif, by the ffmpeg of the extra `films`."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from tempfile import TemporaryFile
from typing import NamedTuple, TypeAlias

import numpy as np

from ulna.errors import import_extra
from ulna.storage import whole_file

Pictures: TypeAlias = Iterable[np.ndarray]  # each (height, width, 4), opaque

SOURCE = "-y -loglevel error -f rawvideo -pix_fmt rgba -s {wide}x{high} -r {fps} -i pipe:0"
FORMATS = {
    # H.264 that browsers play, colours by the rule of high definition, and said so, or players
    # guess by the size.
    ".mp4": "-vf scale=out_color_matrix=bt709:out_range=tv -color_range tv -colorspace bt709 "
    "-color_primaries bt709 -color_trc bt709 -an -c:v libx264 -preset veryfast -crf 20 "
    "-pix_fmt yuv420p -movflags +faststart -f mp4",
    # It loops. The first picture has the colours of all, and is not shown: with the palette known
    # from the start no picture has to be kept.
    ".gif": "-filter_complex [0]split[a][b];[a]trim=end_frame=1,palettegen=stats_mode=single[p];"
    "[b]trim=start_frame=1,setpts=PTS-STARTPTS[f];[f][p]paletteuse=dither=none "
    "-final_delay {lasting} -f gif",
}


class FilmFormat(NamedTuple):
    """How a film is shown: pictures a second, width and height, and a picture with its colours."""

    fps: float
    size: tuple[int, int]
    sample: np.ndarray


def ffmpeg() -> str:
    """Return the program that encodes films."""
    return str(import_extra("imageio_ffmpeg", "films", "a film").get_ffmpeg_exe())


def write_film(
    file: str | os.PathLike[str], pictures: Pictures, film: FilmFormat, *, overwrite: bool
) -> None:
    """Write a film by the ending of its name; it appears when it is whole, or not at all."""
    ending = Path(file).suffix.lower()
    wide, high = film.size
    numbers = {"wide": wide, "high": high, "fps": film.fps, "lasting": round(100.0 / film.fps)}
    options = f"{SOURCE} {FORMATS[ending]}".format(**numbers).split()
    with whole_file(file, overwrite=overwrite) as part:
        palette = [film.sample] if ending == ".gif" else []
        _encode([ffmpeg(), *options, str(part)], palette, pictures)


def _encode(command: list[str], *parts: Pictures) -> None:
    """Run the encoder on all pictures; raise OSError with its reason if it fails."""
    # Ctrl-C reaches this process alone, which ends the encoder.
    with (
        TemporaryFile() as log,
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=log, process_group=0
        ) as encoder,
    ):
        assert encoder.stdin is not None
        try:
            with encoder.stdin as pipe:
                for picture in chain(*parts):
                    pipe.write(picture.data)
        except BrokenPipeError:
            pass  # it ended, and says why below
        except BaseException:
            encoder.kill()
            raise
        if encoder.wait() != 0:
            log.seek(0)
            reason = log.read().decode(errors="replace").split("\n")[0]
            raise OSError(f"ffmpeg failed: {reason or 'without a reason'}")
