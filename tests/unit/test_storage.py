"""Files appear whole or not at all, and trouble names the file."""

import _thread
import errno
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from ulna import storage
from ulna.errors import FileError, InputError, size_text
from ulna.storage import cache_folder, check_space, read_text, whole_file, whole_folder, write_whole

posix = pytest.mark.skipif(os.name != "posix", reason="POSIX files")


def names_in(folder):
    return sorted(entry.name for entry in folder.iterdir())


def disk_full(*_):
    raise OSError(errno.ENOSPC, "No space left on device")


# Reading


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"a = 1\n", "a = 1\n"),
        (b"\xef\xbb\xbfa = 1\n", "a = 1\n"),
        (b"a = 1\r\nb = 2\r\n", "a = 1\r\nb = 2\r\n"),
        ("τ = «1»".encode(), "τ = «1»"),
        (b"", ""),
    ],
)
def test_utf8_is_read_with_or_without_a_mark(tmp_path, raw, text):
    file = tmp_path / "text"
    file.write_bytes(raw)
    assert read_text(file) == text
    assert read_text(str(file)) == text


def test_text_that_is_not_utf8_names_the_byte(tmp_path):
    file = tmp_path / "latin.toml"
    file.write_bytes(b"ab\xe9")
    with pytest.raises(InputError, match="UTF-8") as caught:
        read_text(file)
    [problem] = caught.value.problems
    assert "0xe9 at offset 2" in problem.got
    assert problem.place == str(file)


@pytest.mark.parametrize("name", ["missing.toml", ".", "a\0b", "file/below"])
def test_a_file_that_cannot_be_read_is_named(tmp_path, name):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(FileError, match="cannot be read") as caught:
        read_text(tmp_path / name)
    assert caught.value.exit_code == 74
    assert str(tmp_path) in str(caught.value)


def test_the_largest_text_is_read_and_one_byte_more_is_refused(tmp_path):
    file = tmp_path / "big"
    file.write_bytes(b"x" * 100)
    assert len(read_text(file, largest=100)) == 100
    file.write_bytes(b"x" * 101)
    with pytest.raises(InputError, match="101 bytes, need at most 100"):
        read_text(file, largest=100)


# Writing


@pytest.mark.parametrize(
    ("data", "raw"), [("τ\n", b"\xcf\x84\n"), (b"\x00\xff", b"\x00\xff"), ("", b"")]
)
def test_what_is_written_is_what_is_there(tmp_path, data, raw):
    file = tmp_path / "out"
    write_whole(file, data)
    assert file.read_bytes() == raw
    write_whole(str(file), data)
    assert file.read_bytes() == raw
    assert names_in(tmp_path) == ["out"]


def test_a_file_that_exists_needs_force(tmp_path):
    file = tmp_path / "out"
    write_whole(file, "new", overwrite=False)
    with pytest.raises(InputError, match="--overwrite") as caught:
        write_whole(file, "newer", overwrite=False)
    assert caught.value.exit_code == 2
    assert file.read_text() == "new"
    write_whole(file, "newer", overwrite=True)
    assert file.read_text() == "newer"


def break_fsync(patch):
    patch.setattr(os, "fsync", disk_full)


def break_replace(patch):
    patch.setattr(os, "replace", disk_full)
    patch.setattr(Path, "replace", disk_full)


@pytest.mark.parametrize("broken", [break_fsync, break_replace])
@pytest.mark.parametrize("before", [b"old", None])
def test_a_full_disk_leaves_all_as_it_was(tmp_path, monkeypatch, broken, before):
    file = tmp_path / "out"
    if before is not None:
        file.write_bytes(before)
    listed = names_in(tmp_path)
    with monkeypatch.context() as patch:
        broken(patch)
        with pytest.raises(FileError, match="No space left on device") as caught:
            write_whole(file, "new")
    assert str(file) in str(caught.value)
    assert caught.value.exit_code == 74
    assert names_in(tmp_path) == listed
    assert before is None or file.read_bytes() == before


def test_the_data_is_on_disk_before_it_takes_its_place(tmp_path, monkeypatch):
    file, events = tmp_path / "out", []
    sync, into_place = os.fsync, os.replace

    def note_sync(descriptor):
        events.append(("fsync", os.fstat(descriptor).st_size))
        sync(descriptor)

    def note_replace(source, target):
        events.append(("replace", Path(target).name))
        into_place(source, target)

    monkeypatch.setattr(os, "fsync", note_sync)
    monkeypatch.setattr(os, "replace", note_replace)
    monkeypatch.setattr(Path, "replace", lambda self, target: note_replace(self, target))
    write_whole(file, b"12345")
    assert events[:2] == [("fsync", 5), ("replace", "out")]


def test_two_writers_at_once_both_leave_a_whole_file(tmp_path, monkeypatch):
    """The second starts and ends while the first is about to sync."""
    file, sync, inner = tmp_path / "out", os.fsync, []

    def second_writer(descriptor):
        sync(descriptor)
        if not inner:
            inner.append("started")
            write_whole(file, "second")
            inner.append(file.read_text())

    monkeypatch.setattr(os, "fsync", second_writer)
    write_whole(file, "first")
    assert inner == ["started", "second"]
    assert file.read_text() == "first"
    assert names_in(tmp_path) == ["out"]


@pytest.mark.parametrize("name", ["missing/out", "file/out", "folder", "a\0b"])
def test_a_place_that_cannot_be_written_is_file_trouble(tmp_path, name):
    (tmp_path / "file").write_bytes(b"kept")
    (tmp_path / "folder").mkdir()
    with pytest.raises(FileError, match="cannot be written"):
        write_whole(tmp_path / name, "x")
    assert names_in(tmp_path) == ["file", "folder"]
    assert (tmp_path / "file").read_bytes() == b"kept"


@pytest.mark.parametrize("name", ["", ".", "..", "/"])
@pytest.mark.parametrize("overwrite", [True, False])
def test_a_name_that_is_a_folder_is_refused_in_words(tmp_path, monkeypatch, name, overwrite):
    monkeypatch.chdir(tmp_path)
    with pytest.raises((FileError, InputError)):
        write_whole(name, "x", overwrite=overwrite)
    assert names_in(tmp_path) == []


@pytest.mark.parametrize("overwrite", [True, False])
def test_a_name_too_long_for_the_disk_is_file_trouble(tmp_path, overwrite):
    with pytest.raises(FileError, match="cannot be written"):
        write_whole(tmp_path / ("n" * 300), "x", overwrite=overwrite)


@posix
def test_a_name_as_long_as_the_disk_takes_is_written(tmp_path):
    file = tmp_path / ("n" * 250)
    write_whole(file, "x")
    assert names_in(tmp_path) == [file.name]


@posix
def test_a_new_file_is_as_readable_as_the_user_wants(tmp_path):
    before = os.umask(0o022)
    try:
        write_whole(tmp_path / "out", "x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o644


# Files that others write


@pytest.mark.parametrize("before", [b"old", None])
def test_a_block_that_ends_well_puts_its_file_in_place(tmp_path, before):
    file = tmp_path / "out"
    if before is not None:
        file.write_bytes(before)
    with whole_file(file) as part:
        assert part.parent == tmp_path
        assert part.read_bytes() == b""
        part.write_bytes(b"new")
        assert before is None or file.read_bytes() == before
    assert file.read_bytes() == b"new"
    assert names_in(tmp_path) == ["out"]


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), FileError),
        (InputError("no"), InputError),
        (FileError("no"), FileError),
        (RuntimeError("no"), RuntimeError),
        (KeyboardInterrupt(), KeyboardInterrupt),
    ],
)
def test_a_block_that_fails_leaves_all_as_it_was(tmp_path, error, told):
    file = tmp_path / "out"
    file.write_bytes(b"old")
    with pytest.raises(told) as caught, whole_file(file) as part:  # noqa: PT012
        part.write_bytes(b"new")
        raise error
    assert caught.value is error or str(file) in str(caught.value)
    assert file.read_bytes() == b"old"
    assert names_in(tmp_path) == ["out"]


# The cache


@pytest.mark.parametrize(
    ("platform", "settings", "expected"),
    [
        ("linux", {"ULNA_CACHE": "/mine"}, "/mine"),
        ("linux", {"ULNA_CACHE": "/mine", "XDG_CACHE_HOME": "/xdg"}, "/mine"),
        ("linux", {"XDG_CACHE_HOME": "/xdg"}, "/xdg/ulna"),
        # The XDG specification: empty is as good as not set.
        ("linux", {"XDG_CACHE_HOME": ""}, "/home/me/.cache/ulna"),
        ("linux", {}, "/home/me/.cache/ulna"),
        ("darwin", {"XDG_CACHE_HOME": "/xdg"}, "/home/me/Library/Caches/ulna"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/ulna"),
        ("win32", {}, "/home/me/AppData/Local/ulna"),
    ],
)
def test_the_cache_is_where_the_system_has_caches(monkeypatch, platform, settings, expected):
    for name in ("ULNA_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(Path, "home", lambda: Path("/home/me"))
    monkeypatch.setattr(sys, "platform", platform)
    assert cache_folder() == Path(expected)


@posix
def test_what_is_no_ordinary_file_is_never_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(FileError, match="no ordinary file"):
        write_whole(pipe, "x")
    assert stat.S_ISFIFO(pipe.lstat().st_mode)


@posix
def test_a_link_stays_and_the_file_behind_it_is_written(tmp_path):
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_bytes(b"old")
    real.chmod(0o600)
    link.symlink_to(real)
    write_whole(link, "new")
    assert link.is_symlink()
    assert real.read_bytes() == b"new"
    assert stat.S_IMODE(real.stat().st_mode) == 0o600


@posix
def test_a_link_that_leads_nowhere_is_not_replaced_without_force(tmp_path):
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "nowhere")
    with pytest.raises(InputError, match="--overwrite"):
        write_whole(link, "x", overwrite=False)
    assert link.is_symlink()


# Folders


def fill(folder, text):
    (folder / "mark").write_text(text)
    (folder / "deep").mkdir()
    (folder / "deep" / "data").write_text(text)


@pytest.fixture
def old(tmp_path):
    """A folder that may be replaced."""
    folder = tmp_path / "out"
    folder.mkdir()
    fill(folder, "old")
    return folder


def test_a_folder_appears_whole(tmp_path):
    with whole_folder(tmp_path / "out", ["mark"]) as part:
        fill(part, "new")
        assert not (tmp_path / "out").exists()
    assert names_in(tmp_path) == ["out"]
    assert (tmp_path / "out" / "deep" / "data").read_text() == "new"


def test_a_folder_takes_the_place_of_one_of_its_kind(tmp_path, old):
    (old / "more").write_text("old")
    with whole_folder(old, ["other", "mark"]) as part:
        fill(part, "new")
        assert (old / "mark").read_text() == "old"
    assert names_in(tmp_path) == ["out"]
    assert names_in(old) == ["deep", "mark"]
    assert (old / "mark").read_text() == "new"


def test_an_empty_folder_is_as_good_as_none(tmp_path):
    (tmp_path / "out").mkdir()
    with whole_folder(tmp_path / "out", ["mark"], overwrite=False) as part:
        fill(part, "new")
    assert names_in(tmp_path / "out") == ["deep", "mark"]
    assert names_in(tmp_path) == ["out"]


def test_a_folder_that_exists_needs_force(tmp_path, old):
    with (
        pytest.raises(InputError, match="--overwrite"),
        whole_folder(old, ["mark"], overwrite=False),
    ):
        pytest.fail("the folder would be lost")
    assert names_in(tmp_path) == ["out"]


def test_a_folder_without_the_mark_is_never_replaced(tmp_path, old):
    with pytest.raises(FileError, match="something else"), whole_folder(old, ["zarr.json"]):
        pytest.fail("the folder would be lost")
    (tmp_path / "file").write_bytes(b"kept")
    with pytest.raises(FileError, match="no folder"), whole_folder(tmp_path / "file", ["mark"]):
        pytest.fail("the file would be lost")
    assert names_in(tmp_path) == ["file", "out"]


@pytest.mark.parametrize("broken", [break_fsync, break_replace])
def test_a_full_disk_leaves_a_folder_as_it_was(tmp_path, monkeypatch, old, broken):
    with (  # noqa: PT012
        monkeypatch.context() as patch,
        pytest.raises(FileError, match="No space left on device"),
        whole_folder(old, ["mark"]) as part,
    ):
        fill(part, "new")
        broken(patch)
    assert names_in(tmp_path) == ["out"]
    assert (old / "deep" / "data").read_text() == "old"


def test_a_folder_that_stepped_aside_comes_back(tmp_path, monkeypatch, old):
    """The place is free, and then the new folder does not get there."""
    replace = Path.replace

    def second_fails(self, target):
        if target == old and (self / "mark").read_text() == "new":
            disk_full()
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", second_fails)
    with pytest.raises(FileError, match="No space left"), whole_folder(old, ["mark"]) as part:
        fill(part, "new")
    assert names_in(tmp_path) == ["out"]
    assert (old / "mark").read_text() == "old"


@pytest.mark.parametrize(("renames", "found"), [(1, "old"), (2, "new")])
def test_ctrl_c_between_two_renames_loses_no_folder(tmp_path, monkeypatch, old, renames, found):
    replace, done = Path.replace, []

    def interrupted(self, target):
        replace(self, target)
        done.append(target)
        if len(done) == renames:
            raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt), whole_folder(old, ["mark"]) as part:
        fill(part, "new")
    assert (old / "deep" / "data").read_text() == found


def test_a_kill_between_two_renames_leaves_both_folders(tmp_path, old):
    code = (
        "import os, pathlib, sys, ulna.storage\n"
        "replace = pathlib.Path.replace\n"
        "pathlib.Path.replace = lambda *two: (replace(*two), os._exit(9))\n"
        "with ulna.storage.whole_folder(sys.argv[1], ['mark']) as part:\n"
        "    (part / 'mark').write_text('new')\n"
    )
    assert subprocess.run([sys.executable, "-c", code, old], check=False).returncode == 9
    assert (tmp_path / "out.replaced" / "deep" / "data").read_text() == "old"


def test_a_folder_that_is_not_finished_leaves_nothing(tmp_path):
    with pytest.raises(KeyboardInterrupt), whole_folder(tmp_path / "out", ["mark"]) as part:  # noqa: PT012
        fill(part, "new")
        raise KeyboardInterrupt
    assert names_in(tmp_path) == []


# Room on the disk


def test_a_disk_without_room_is_told_with_the_figures(tmp_path, monkeypatch):
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=2_000_000))
    check_space(tmp_path / "out", 2_000_000)
    with pytest.raises(FileError, match=r"it takes 3\.5 GB, and 2 MB are free") as caught:
        check_space(tmp_path / "out", 3.5e9)
    assert caught.value.exit_code == 74
    assert str(tmp_path / "out") in str(caught.value)


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 bytes"), (999, "999 bytes"), (1e3, "1 kB"), (123_456, "123 kB"), (8e16, "80,000 TB")],
)
def test_sizes_are_written_as_people_do(size, text):
    assert size_text(size) == text


# ------------------------------------------------------------------------- two at once, and asides


def test_a_file_that_came_meanwhile_is_not_replaced(tmp_path):
    file = tmp_path / "a.txt"
    with pytest.raises(InputError, match="which exists"), whole_file(file, overwrite=False) as part:  # noqa: PT012
        part.write_text("mine")
        file.write_text("theirs")
    assert file.read_text() == "theirs"
    assert [one.name for one in tmp_path.iterdir()] == ["a.txt"]


def test_a_folder_that_came_meanwhile_is_not_replaced(tmp_path):
    folder = tmp_path / "out"
    refused = pytest.raises(InputError, match="which exists")
    with refused, whole_folder(folder, ["m"], overwrite=False) as part:
        (part / "m").write_text("mine")
        folder.mkdir()
        (folder / "m").write_text("theirs")
    assert (folder / "m").read_text() == "theirs"
    assert [one.name for one in tmp_path.iterdir()] == ["out"]


def test_what_is_set_aside_replaces_nothing(tmp_path):
    for _ in range(3):
        (tmp_path / "part").mkdir()
        storage.set_aside(tmp_path / "part", tmp_path / "b.zarr")
    names = [f"b.interrupted{number}.zarr" for number in ("", "-2", "-3")]
    assert names_in(tmp_path) == sorted(names)


def test_files_that_belong_together_come_together(tmp_path):
    folder = tmp_path / "out"
    for text, old in (("one", ()), ("two", ("film",))):
        with storage.staged(folder) as part:
            (part / "a").write_text(text)
            (part / "b").write_text(text)
            storage.move_in(part, folder, old, overwrite=True)
        assert {file.name: file.read_text() for file in folder.iterdir()} == {"a": text, "b": text}
        (folder / "film").write_text("of one")
    (folder / "film").unlink()


def test_ctrl_c_between_two_renames_mixes_no_results(tmp_path, monkeypatch):
    for name in ("a", "b", "c", "old"):
        (tmp_path / name).write_text("old")
    replace = Path.replace

    def interrupted(self, target):
        replace(self, target)
        if target.name == "b":
            _thread.interrupt_main()

    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt), storage.staged(tmp_path) as part:  # noqa: PT012
        for name in ("a", "b", "c"):
            (part / name).write_text("new")
        storage.move_in(part, tmp_path, ["old"], overwrite=True)
    found = {file.name: file.read_text() for file in tmp_path.iterdir()}
    assert found == dict.fromkeys(("a", "b", "c"), "new")


def test_files_that_belong_together_replace_nothing_without_force(tmp_path):
    (tmp_path / "b").write_text("old")
    with pytest.raises(InputError, match="which exists"), storage.staged(tmp_path) as part:  # noqa: PT012
        (part / "a").write_text("new")
        (part / "b").write_text("new")
        storage.move_in(part, tmp_path, ["b"], overwrite=False)
    assert names_in(tmp_path) == ["b"]
    assert (tmp_path / "b").read_text() == "old"


def test_a_folder_that_stays_empty_is_not_left(tmp_path):
    with storage.staged(tmp_path / "out"):
        pass
    assert not list(tmp_path.iterdir())
