"""Writing pictures into a film through ffmpeg: .mp4, and .gif, which can do without it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable
from contextlib import suppress
from itertools import chain
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, NamedTuple, TypeAlias

import numpy as np

from ulna.storage import whole_file

Pictures: TypeAlias = Iterable[np.ndarray]  # each (height, width, 4), opaque

WITHOUT = "; try a .gif, which needs no ffmpeg"
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


def write_film(
    file: str | os.PathLike[str], pictures: Pictures, film: FilmFormat, *, overwrite: bool
) -> None:
    """Write a film by the ending of its name; it appears when it is whole, or not at all."""
    ending = Path(file).suffix.lower()
    with whole_file(file, overwrite=overwrite) as part:
        if ending == ".gif" and not has_ffmpeg():
            _write_gif_alone(part, pictures, film)
        else:
            _encode(part, pictures, film, ending)


def has_ffmpeg() -> bool:
    """Return whether there is a program that encodes films."""
    with suppress(OSError):
        return bool(_ffmpeg())
    return False


def _ffmpeg() -> str:
    """Return the program that encodes films; OSError where there is none."""
    try:
        import imageio_ffmpeg

        program = str(imageio_ffmpeg.get_ffmpeg_exe())
    except (ImportError, RuntimeError) as error:
        raise OSError(str(error)) from error
    if shutil.which(program) is None:
        raise OSError(f"{program} is no program")
    return program


def _encode(file: Path, pictures: Pictures, film: FilmFormat, ending: str) -> None:
    hint = WITHOUT if ending == ".mp4" else ""
    first = [] if ending == ".mp4" else [film.sample]
    with TemporaryFile() as words:
        try:
            encoder = _start_encoder([*_orders(film, ending), str(file)], words)
        except OSError as error:
            raise OSError(f"ffmpeg cannot be started ({error}){hint}") from error
        try:
            failed = _feed(encoder, chain(first, pictures))
        finally:
            encoder.kill()
            encoder.wait()
        if failed or not file.stat().st_size:
            words.seek(0)
            told = words.read().decode(errors="replace").split("\n")[0]
            raise OSError(f"ffmpeg gave up: {told or 'it says nothing'}{hint}")


def _orders(film: FilmFormat, ending: str) -> list[str]:
    wide, high = film.size
    numbers = {"wide": wide, "high": high, "fps": film.fps, "lasting": round(100.0 / film.fps)}
    return f"{SOURCE} {FORMATS[ending]}".format(**numbers).split()


def _start_encoder(orders: list[str], words: IO[bytes]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [_ffmpeg(), *orders],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=words,
        # Ctrl-C is for us to hear, and then to end the encoder.
        process_group=0,
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    )


def _feed(encoder: subprocess.Popen[bytes], pictures: Pictures) -> bool:
    """Write the pictures to the encoder, and return whether it failed."""
    assert encoder.stdin is not None
    try:
        for picture in pictures:
            encoder.stdin.write(picture.data)
        encoder.stdin.close()
        return encoder.wait() != 0
    except OSError:
        return True
    finally:
        if not encoder.stdin.closed:
            # What is left in the pipe belongs to a film that nobody will see.
            encoder.kill()
            with suppress(OSError):
                encoder.stdin.close()


def _write_gif_alone(file: Path, pictures: Pictures, film: FilmFormat) -> None:
    """Write a film that loops through Pillow, which keeps all of it in memory."""
    from PIL import Image

    palette = Image.fromarray(film.sample[..., :3]).quantize(256)
    first, *more = (
        Image.fromarray(picture[..., :3]).quantize(palette=palette, dither=Image.Dither.NONE)
        for picture in pictures
    )
    # In hundredths of a second, so that no error adds up.
    ends = np.round(100.0 * np.arange(len(more) + 2) / film.fps)
    lasting = (10 * np.diff(ends)).astype(int).tolist()
    how: Any = {"format": "GIF", "save_all": True, "loop": 0, "disposal": 1}
    first.save(file, append_images=more, duration=lasting, **how)
