"""Writing pictures into a film: .mp4 through ffmpeg, .gif through Pillow."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, NamedTuple, TypeAlias

import numpy as np

from ulna.storage import whole_file

Pictures: TypeAlias = Iterable[np.ndarray]  # each (height, width, 4), opaque

WITHOUT = "try a .gif, which needs no ffmpeg"
LOOP_FOREVER = b"!\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00"
COLORS, SHADES = 255, 32768  # of a .gif; told apart in choosing among them
UNCHANGED = 255  # stands for the colour that a place has already


class FilmFormat(NamedTuple):
    """How a film is shown: pictures a second, width and height, and a picture with its colours."""

    fps: float
    size: tuple[int, int]
    sample: np.ndarray


def write_film(
    file: str | os.PathLike[str], pictures: Pictures, film: FilmFormat, *, overwrite: bool
) -> None:
    """Write a film by the ending of its name; it appears when it is whole, or not at all."""
    with whole_file(file, overwrite=overwrite) as part:
        WRITERS[Path(file).suffix.lower()](part, pictures, film)


def write_mp4(file: Path, pictures: Pictures, film: FilmFormat) -> None:
    """Write H.264 that browsers play."""
    with TemporaryFile() as words:
        encoder = _start_encoder(file, film, words)
        try:
            failed = _feed(encoder, pictures)
        finally:
            encoder.kill()
            encoder.wait()
        if failed or not file.stat().st_size:
            words.seek(0)
            told = words.read().decode(errors="replace").split("\n")[0]
            raise OSError(f"ffmpeg gave up: {told or 'it says nothing'}; {WITHOUT}")


def ffmpeg() -> str:
    """Return the program that encodes films; OSError where there is none."""
    try:
        import imageio_ffmpeg

        program = str(imageio_ffmpeg.get_ffmpeg_exe())
    except (ImportError, RuntimeError) as error:
        raise OSError(str(error)) from error
    if shutil.which(program) is None:
        raise OSError(f"{program} is no program")
    return program


def _start_encoder(file: Path, film: FilmFormat, words: IO[bytes]) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            [ffmpeg(), *_orders(film), str(file)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=words,
            # Ctrl-C is for us to hear, and then to end the encoder.
            process_group=0,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except OSError as error:
        raise OSError(f"ffmpeg cannot be started ({error}); {WITHOUT}") from error


def _orders(film: FilmFormat) -> list[str]:
    wide, high = film.size
    source = f"-f rawvideo -pix_fmt rgba -s {wide}x{high} -r {film.fps} -i pipe:0"
    # Colours by the rule of high definition, and said so, or players guess by the size.
    colors = "-vf scale=out_color_matrix=bt709:out_range=tv -color_range tv"
    rule = "-colorspace bt709 -color_primaries bt709 -color_trc bt709"
    codec = "-an -c:v libx264 -preset veryfast -crf 20 -pix_fmt yuv420p"
    container = "-movflags +faststart -f mp4"
    return f"-y -loglevel error {source} {colors} {rule} {codec} {container}".split()


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


def write_gif(file: Path, pictures: Pictures, film: FilmFormat) -> None:
    """Write a film that loops, picture by picture: Pillow would keep all of them in memory."""
    from PIL import GifImagePlugin, Image

    palette, nearest = _palette(film.sample)
    screen = struct.pack("<HHBBB", *film.size, 0xF7, 0, 0)
    before: np.ndarray | None = None
    with file.open("wb") as stream:
        stream.write(b"GIF89a" + screen + palette.tobytes() + LOOP_FOREVER)
        for index, picture in enumerate(pictures):
            image = nearest[_shades(picture.view("<u4")[..., 0])]
            part, corner = _changed(image, before)
            how = {"duration": _lasting(index, film.fps), "transparency": UNCHANGED, "disposal": 1}
            stream.writelines(GifImagePlugin.getdata(Image.fromarray(part), corner, **how))
            before = image
        stream.write(b";")


def _changed(image: np.ndarray, before: np.ndarray | None) -> tuple[np.ndarray, tuple[int, int]]:
    """Return the part of an image that differs from the one before, and its corner.

    Whatever stays in it is marked as such: long runs of one value take little room.
    """
    if before is None:
        return image, (0, 0)
    differs = image != before
    rows, columns = (np.flatnonzero(differs.any(axis=axis)) for axis in (1, 0))
    if not len(rows):
        return np.full((1, 1), UNCHANGED, np.uint8), (0, 0)
    box = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
    return np.where(differs, image, UNCHANGED)[box], (int(columns[0]), int(rows[0]))


def _palette(sample: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Choose colours (COLORS, 3), and return the one for every shade.

    A shade shows as the commonest colour in it, so that plain areas keep theirs exactly.
    """
    colors, counts = np.unique(sample.view("<u4"), return_counts=True)
    colors = colors[np.argsort(-counts, kind="stable")]
    first = np.unique(_shades(colors), return_index=True)[1]
    chosen = colors[np.sort(first)[:COLORS]]
    known = chosen[:, None].view(np.uint8)[:, :3]
    number = np.arange(SHADES)
    middles = 8 * np.stack([number % 32, number // 32 % 32, number // 1024], axis=-1) + 4
    # The square of the distance, less what all colours share.
    far = np.sum(known.astype(float) ** 2, axis=-1) - 2.0 * middles @ known.astype(float).T
    nearest = np.argmin(far, axis=-1).astype(np.uint8)
    nearest[_shades(chosen)] = np.arange(len(chosen))
    return np.pad(known, ((0, 256 - len(known)), (0, 0))), nearest


def _shades(colors: np.ndarray) -> np.ndarray:
    """Number colours, red lowest in four bytes, by the upper five bits of red, green and blue."""
    shades = (colors & 0xF8) >> 3 | (colors & 0xF800) >> 6 | (colors & 0xF80000) >> 9
    return np.asarray(shades)


def _lasting(index: int, fps: float) -> int:
    """Return the time [ms] of a picture in hundredths of a second, so that no error adds up."""
    return 10 * (round(100 * (index + 1) / fps) - round(100 * index / fps))


WRITERS: dict[str, Callable[[Path, Pictures, FilmFormat], None]] = {
    ".mp4": write_mp4,
    ".gif": write_gif,
}
