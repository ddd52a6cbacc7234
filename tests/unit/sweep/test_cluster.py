"""Sweeps on Dask: workers that die, schedulers that vanish, and the same bits nevertheless."""

import gc
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager, nullcontext, suppress

import pytest

import ulna
from promptness import prompt
from ulna.errors import InputError, UlnaWarning
from ulna.sweep import cluster, dask_clusters, read_spec
from ulna.sweep.compute import compute
from ulna.sweep.dask_clusters import ClusterError, connected
from ulna.sweep.store import SweepMemory, SweepStore

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
psutil = pytest.importorskip("psutil")

SPEC = {
    "format": 1,
    "arm": "kehl",
    "path": "circle(center=(0.4, 0.3), radius='20 cm')",
    "duration": "0.05 s",
    "samples": 6,
    "controller": "ComputedTorque()",
    "sensors": {"angle_noise": 0.001},
    "vary": {"payload": {"from": 0.0, "to": 1.0, "count": 256}},
    "keep": {"scalars": ["torque.peak"], "curves": ["q"], "curve_points": 6},
}


@pytest.fixture(scope="module")
def expected():
    return compute(read_spec(SPEC), range(256))


def assert_same(found, expected):
    for name in ("torque.peak", "q", "t_end"):
        kept = found.dataset[name].values
        assert kept.reshape(expected[name].shape).tobytes() == expected[name].tobytes(), name


def free_port():
    with socket.socket() as opened:
        opened.bind(("127.0.0.1", 0))
        return opened.getsockname()[1]


def wait_for_port(address):
    """Wait until somebody listens there."""
    host, port = address.rpartition("/")[2].split(":")
    for _ in range(600):
        with suppress(OSError), socket.create_connection((host, int(port)), timeout=1.0):
            return
        time.sleep(0.05)
    raise AssertionError("nobody listens")


def certificates(folder):
    """Make an authority's certificate that signs itself, which all processes share."""
    cert, key = folder / "cert.pem", folder / "key.pem"
    subprocess.run(
        [
            "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1",
            "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
            "-keyout", key, "-out", cert,
        ],
        check=True,
        capture_output=True,
    )  # fmt: skip
    return {"ca_file": str(cert), "cert": str(cert), "key": str(key)}


@contextmanager
def dask_cluster(folder, workers=1, tls=None):
    """Start a scheduler and workers by Dask's own commands; return its address and processes."""
    port, scheme = free_port(), "tls" if tls else "tcp"
    address = f"{scheme}://127.0.0.1:{port}"
    words = [f"--tls-{name.replace('_', '-')}={file}" for name, file in (tls or {}).items()]
    dask = [sys.executable, "-m", "dask"]
    scheduler = [
        "scheduler",
        "--host",
        f"{scheme}://127.0.0.1",
        "--port",
        str(port),
        "--no-dashboard",
    ]
    worker = ["worker", address, "--nthreads", "1", "--no-dashboard", "--host", "127.0.0.1"]
    if tls:
        worker[-1:] = [f"{scheme}://127.0.0.1"]
    commands = [scheduler, *[[*worker, "--local-directory", str(folder)]] * workers]
    started = [
        subprocess.Popen(
            [*dask, *command, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        for command in commands
    ]  # fmt: skip
    try:
        yield address, started
    finally:
        for process in reversed(started):
            with_children = os.getpgid(process.pid) if process.poll() is None else None
            if with_children:
                os.killpg(with_children, signal.SIGKILL)
            process.wait()


needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl command")


@pytest.mark.parametrize(
    "encrypted",
    [pytest.param(False, marks=pytest.mark.slow), pytest.param(True, marks=needs_openssl)],
)
def test_a_cluster_of_dask_s_own_commands_computes_the_same(tmp_path, expected, encrypted):
    tls = certificates(tmp_path) if encrypted else None
    with dask_cluster(tmp_path, tls=tls) as (address, _):
        found = ulna.sweep(SPEC, tmp_path / "s.zarr", scheduler=address, tls=tls)
        assert_same(found, expected)
        in_memory = ulna.sweep(SPEC, scheduler=address, tls=tls)  # which workers have to send
        assert_same(in_memory, expected)


def children():
    return set(psutil.Process().children(recursive=True))


def after_chunk(monkeypatch, action):
    """Call an action after every chunk that is kept."""

    def write(self, number, arrays, call=SweepStore.write):
        call(self, number, arrays)
        action()

    monkeypatch.setattr(SweepStore, "write", write)


def test_a_worker_that_is_killed_loses_nothing(tmp_path, expected, monkeypatch):
    def kill_one():
        while not killed:
            for child in children() - before:
                with suppress(psutil.NoSuchProcess):
                    if "spawn_main" in " ".join(child.cmdline()):
                        child.kill()
                        killed.append(child)
                        return

    killed, before = [], children()
    after_chunk(monkeypatch, kill_one)
    found = ulna.sweep(SPEC, tmp_path / "s.zarr", workers=2)
    assert killed
    assert_same(found, expected)


POISON = """
import os
from ulna.sweep import cluster

def poisoned(spec, points, call=cluster.compute, **options):
    if 77 in points:
        os._exit(9)
    return call(spec, points, **options)

cluster.compute = poisoned
"""


def test_points_that_keep_killing_workers_are_named_and_tried_again(
    tmp_path, expected, monkeypatch
):
    (tmp_path / "poison.py").write_text(POISON)
    with monkeypatch.context() as poisoned:
        poisoned.setenv("DASK_DISTRIBUTED__WORKER__PRELOAD", str(tmp_path / "poison.py"))
        poisoned.setenv("DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES", "0")
        with pytest.warns(UlnaWarning, match="64 of 256 points are not computed: 64 to 127"):
            found = ulna.sweep(SPEC, tmp_path / "s.zarr", workers=2)
    others = [*range(64), *range(128, 256)]
    assert found.dataset["q"].values[others].tobytes() == expected["q"][others].tobytes()
    assert found.dataset["q"][64:128].isnull().all()
    assert_same(ulna.sweep(SPEC, tmp_path / "s.zarr"), expected)


@pytest.mark.parametrize(
    ("raised", "error"),
    [
        ("ModuleNotFoundError(name='x')", InputError),
        pytest.param("OSError('out of file handles')", OSError, marks=pytest.mark.slow),
    ],
)
def test_what_workers_raise_again_and_again_is_told(tmp_path, monkeypatch, raised, error):
    (tmp_path / "poison.py").write_text(POISON.replace("os._exit(9)", f"raise {raised}"))
    monkeypatch.setenv("DASK_DISTRIBUTED__WORKER__PRELOAD", str(tmp_path / "poison.py"))
    with pytest.raises(error, match=r"out of file handles|workers that lack x"):
        ulna.sweep(SPEC, workers=1)


def test_a_cluster_without_workers_is_given_up_after_a_while(tmp_path, monkeypatch):
    monkeypatch.setattr(cluster, "PATIENCE", 0.3)
    with dask_cluster(tmp_path, workers=0) as (address, _):
        wait_for_port(address)
        with pytest.raises(ClusterError, match="no workers"):
            ulna.sweep(SPEC, scheduler=address)


@pytest.mark.parametrize("stored", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_ctrl_c_while_workers_compute_keeps_what_is_finished(
    tmp_path, expected, monkeypatch, stored
):
    kept = SweepStore if stored else SweepMemory

    def write(self, number, arrays, call=kept.write):
        call(self, number, arrays)
        signal.raise_signal(signal.SIGINT)

    store, before = tmp_path / "s.zarr" if stored else None, children()
    with monkeypatch.context() as pressed:
        pressed.setattr(kept, "write", write)
        with pytest.raises(ulna.Interrupted, match="64 of 256") as caught:
            ulna.sweep(SPEC, store, workers=2)
    assert caught.value.result.finished == 64
    assert_gone(children() - before)
    assert_same(ulna.sweep(SPEC, store), expected)


def assert_gone(processes):
    _, alive = psutil.wait_procs(processes, timeout=5.0)
    assert alive == []


@pytest.mark.parametrize(("workers", "threads"), [(1, 8), (2, 4), (3, 2), (16, 1)])
def test_workers_share_the_cores(monkeypatch, workers, threads):
    monkeypatch.setattr(dask_clusters, "cores", lambda: 8)
    monkeypatch.setattr(dask_clusters, "_local_cluster", nullcontext)
    monkeypatch.setattr(distributed, "Client", lambda *_, **__: nullcontext())
    with connected(workers, None, None) as made:
        assert made.threads == threads


def test_dask_knows_what_it_is_configured_by():
    from ulna.sweep.local_cluster import CONFIGURATION

    unknown = {"distributed.nanny.pre-spawn-environ.MALLOC_MMAP_THRESHOLD_"}  # but glibc does
    for key in CONFIGURATION.keys() - unknown:
        dask.config.get(key)  # which raises where there is no such setting


def settings(names):
    return {name: dask.config.get(name) for name in names}, dict(os.environ)


def test_a_cluster_ends_at_once_whatever_its_workers_do(tmp_path):
    from ulna.sweep.local_cluster import CONFIGURATION

    before = dask.config.config.copy(), dict(os.environ)
    others = children()  # such as a browser of other tests
    with connected(2, None, None) as made:
        asked, environment = made.client.submit(settings, list(CONFIGURATION)).result()
        assert asked == CONFIGURATION
        assert environment["MALLOC_TRIM_THRESHOLD_"] == str(2**28)
        processes = children() - others
        flags = [tmp_path / "1", tmp_path / "2"]
        for flag in flags:
            made.client.submit(lambda file: file.touch() or time.sleep(60.0), flag)
        while not all(flag.exists() for flag in flags):
            time.sleep(0.01)
        start = time.monotonic()
    assert time.monotonic() - start < 2.0  # Dask itself waits for four seconds
    assert_gone(processes)
    assert (dask.config.config, dict(os.environ)) == before


LEAVING = """
import os, signal, sys, tempfile
from ulna.sweep.dask_clusters import connected
with connected(1, None, None) as made:
    made.client.submit(tempfile.mkdtemp).result()
    assert os.listdir(tempfile.gettempdir())
    if sys.argv[1] == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("driver", ["killed", "done"])
def test_a_cluster_leaves_no_temporary_files(tmp_path, driver):
    place = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", LEAVING, driver], env=place, check=False)
    assert done.returncode == (-signal.SIGKILL if driver == "killed" else 0)
    end = time.monotonic() + 20.0
    while list(tmp_path.iterdir()) and time.monotonic() < end:
        time.sleep(0.05)
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("wait", [0.2, 0.6, 1.0, 1.6, 2.5, 4.0])
def test_a_command_with_workers_stops_quietly(tmp_path, wait):
    spec = {**SPEC, "duration": "500 s", "sensors": None, "vary": SPEC["vary"]}
    lines = [f"{name} = {json.dumps(value)}" for name, value in spec.items() if type(value) is str]
    lines += ["format = 1", "[vary]", "payload = { from = 0, to = 1, count = 256 }"]
    (tmp_path / "s.toml").write_text("\n".join([*lines, "[keep]", 'scalars = ["torque.peak"]']))
    code = "import typer; print('begun', flush=True); from ulna.cli import main; sys.exit(main())"
    words = ["sweep", "s.toml", "--workers", "2"]
    process = subprocess.Popen(
        [sys.executable, "-c", f"import sys; {code}", *words],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    assert process.stdout.readline() == "begun\n"
    time.sleep(wait)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    start = time.monotonic()
    _, err = process.communicate(timeout=60.0)
    assert time.monotonic() - start < 2.0  # on a busy machine; Dask waits for four seconds
    assert process.returncode == 130
    assert "Traceback" not in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    "given",
    ["", "nonsense", "http://host:1", "inproc://1", "tcp://", "a b", "tcp://[::1]", 8786]
    + [f"tcp://127.0.0.1:{port}" for port in ("", "0", "65536", "x", "８７８６", "-1", "9" * 5000)],
)
def test_a_scheduler_that_is_no_address_is_refused(given):
    with prompt(), pytest.raises(InputError, match=r"scheduler: got .* need an address, such as"):
        ulna.sweep(SPEC, scheduler=given)


@needs_openssl
def test_files_for_tls_that_do_not_fit_are_refused(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    files, others = certificates(tmp_path / "a"), certificates(tmp_path / "b")
    (tmp_path / "text").write_text("hello")
    nowhere = "tls://127.0.0.1:1"
    for tls, words in [
        ({**files, "key": others["key"]}, "tls: got .*key values mismatch"),
        ({**files, "ca_file": str(tmp_path / "text")}, "tls: got .*no certificate"),
        ({**files, "cert": str(tmp_path)}, "tls: got .*directory"),
        (None, "got 'tls://127.0.0.1:1' with no files for TLS"),
    ]:
        with prompt(), pytest.raises(InputError, match=words):
            ulna.sweep(SPEC, scheduler=nowhere, tls=tls)
    with pytest.raises(InputError, match=r"with files for TLS, need .* an address at tls://"):
        ulna.sweep(SPEC, scheduler="tcp://127.0.0.1:1", tls=files)


def test_a_scheduler_that_does_not_answer_is_told(monkeypatch, capfd):
    monkeypatch.setattr(dask_clusters, "PATIENCE", 0.3)
    with pytest.raises(InputError, match="scheduler that answers"):
        ulna.sweep(SPEC, scheduler=f"tcp://127.0.0.1:{free_port()}")
    gc.collect()
    assert capfd.readouterr().err == ""


@pytest.mark.slow
def test_a_scheduler_that_is_killed_leaves_what_is_finished(tmp_path, expected, monkeypatch):
    with dask_cluster(tmp_path, workers=2) as (address, started), monkeypatch.context() as killed:
        after_chunk(killed, lambda: os.kill(started[0].pid, signal.SIGKILL))
        with pytest.raises(ClusterError, match="is gone"):
            ulna.sweep(SPEC, tmp_path / "s.zarr", scheduler=address)
    with pytest.warns(UlnaWarning, match="not computed"):
        assert ulna.open_sweep(tmp_path / "s.zarr").finished >= 64
    assert_same(ulna.sweep(SPEC, tmp_path / "s.zarr"), expected)
