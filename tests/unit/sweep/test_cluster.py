"""Sweeps on Dask: workers that die, schedulers that vanish, and the same bits nevertheless."""

import gc
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, nullcontext, suppress

import numpy as np
import pytest

import ulna
from promptness import prompt
from ulna.errors import FileError, InputError, UlnaWarning
from ulna.sweep import chunks, cluster, dask_clusters, read_spec
from ulna.sweep.cluster import ClusterError, Connection, run_on
from ulna.sweep.compute import compute
from ulna.sweep.execute import SweepJob, layout_of
from ulna.sweep.results import Sweep, SweepMemory
from ulna.sweep.store import create_store

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


# ------------------------------------------------------------ which task is to blame, by a script


class ScriptedFuture:
    """What has ended already, well or badly."""

    def __init__(self, status, value):
        self.status, self.value = status, value

    def add_done_callback(self, call):
        call(self)

    def result(self):
        return self.value

    def exception(self):
        return self.value


class ScriptedClient:
    """A cluster that runs tasks at once, and some of whose points kill their workers."""

    def __init__(self, poison=(), shared=True, allowed_failures=0, threads=2, outside=()):
        self.poison, self.shared, self.allowed = set(poison), shared, allowed_failures
        self.threads, self.outside = threads, list(outside)  # kills that no task is to blame for
        self.status, self.tried, self.written = "running", [], []

    def ncores(self):
        return {"tcp://worker": self.threads}

    def submit(self, task, content, number, points, folder, box, token, threads, **_):
        self.tried.append(points)
        killed = self.poison & set(points)
        if killed or (self.outside and self.outside.pop(0)):
            error = distributed.KilledWorker("task", None, self.allowed)
            return ScriptedFuture("error", error)
        where = folder if self.shared else None
        self.written.append(where)
        try:
            return ScriptedFuture("finished", task(content, number, points, where, box, token, 1))
        except BaseException as error:
            return ScriptedFuture("error", error)


def run_scripted(client, path=None):
    spec = read_spec({**SPEC, "vary": {"payload": {"from": 0.0, "to": 1.0, "count": 16}}})
    layout = layout_of(spec)
    kept = SweepMemory(layout) if path is None else create_store(path, layout, {}, overwrite=False)
    run_on(Connection(client, "tcp://scripted", 1), SweepJob(spec, kept))
    return Sweep(kept, path, spec), compute(spec, range(16))


@pytest.fixture
def small_chunks(monkeypatch):
    monkeypatch.setattr(chunks, "FEWEST", 4)
    monkeypatch.setattr(chunks, "MOST", 4)


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("allowed_failures", [0, 3])
@pytest.mark.parametrize("poison", [{6}, {4, 5, 15}, {0, 1, 2, 3}])
def test_a_point_that_kills_its_workers_is_set_aside_alone(poison, allowed_failures):
    client = ScriptedClient(poison, allowed_failures=allowed_failures)
    found, expected = run_scripted(client)
    assert set(found.set_aside) == set(found.failed) == poison
    good = [point for point in range(16) if point not in poison]
    assert found.dataset["q"].values[good].tobytes() == expected["q"][good].tobytes()
    assert np.isnan(found.dataset["q"].values[sorted(poison)]).all()
    assert found.why(min(poison)) == "set aside"
    assert found.is_complete
    for point in poison:
        alone = client.tried.count(range(point, point + 1))
        assert alone * (allowed_failures + 1) >= 3
        assert (alone - 1) * (allowed_failures + 1) < 3


@pytest.mark.usefixtures("small_chunks")
def test_workers_that_are_killed_from_outside_cost_no_point():
    found, expected = run_scripted(ScriptedClient(outside=[True, False, True, True, True, True]))
    assert found.set_aside == ()
    assert_same(found, expected)


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("shared", [True, False])
def test_workers_write_where_they_see_the_disk_and_return_data_where_not(tmp_path, shared):
    client = ScriptedClient(shared=shared, poison={9})
    found, expected = run_scripted(client, tmp_path / "s.zarr")
    assert any(client.written) == shared
    assert found.set_aside == (9,)
    with_data = [point for point in range(16) if point != 9]
    assert found.dataset["q"].values[with_data].tobytes() == expected["q"][with_data].tobytes()
    assert not list((tmp_path / "s.zarr").rglob("*.part"))


def test_a_worker_knows_by_a_token_whether_it_sees_the_same_folder(tmp_path):
    (tmp_path / "progress").mkdir()
    with cluster._token(tmp_path) as token:
        assert cluster.is_shared(tmp_path, token)
        assert not cluster.is_shared(tmp_path, "another")
        assert not cluster.is_shared(tmp_path / "elsewhere", token)
    assert not cluster.is_shared(tmp_path, token)


@pytest.mark.usefixtures("small_chunks")
def test_a_full_disk_of_a_worker_is_told(tmp_path, monkeypatch):
    def full(*_):
        raise FileError("s.zarr: cannot be written: No space left on device")

    monkeypatch.setattr(cluster, "write_chunk", full)
    with pytest.raises(FileError, match="No space left"):
        run_scripted(ScriptedClient(), tmp_path / "s.zarr")


@pytest.mark.usefixtures("small_chunks")
def test_a_cluster_without_workers_is_given_up_after_a_while(monkeypatch):
    monkeypatch.setattr(cluster, "ABSENCE", 0.0)
    monkeypatch.setattr(cluster, "REFRESH", 0.0)
    with pytest.raises(ClusterError, match="no workers"):
        run_scripted(ScriptedClient(threads=0))
    gone = ScriptedClient()
    gone.status = "closed"
    with pytest.raises(ClusterError, match="is gone; 0 of 16 points"):
        run_scripted(gone)


@pytest.mark.usefixtures("small_chunks")
def test_workers_that_die_between_two_counts_are_no_absence(monkeypatch):
    seconds = iter(range(10_000))
    monkeypatch.setattr(cluster.time, "monotonic", lambda: float(next(seconds)))
    monkeypatch.setattr(cluster, "ABSENCE", 5.0)
    found, _ = run_scripted(ScriptedClient({6}, threads=0))
    assert found.set_aside == (6,)
    assert next(seconds) > 20  # so that they would have been missed otherwise


# --------------------------------------------------------------------------------- real processes


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


def test_a_worker_that_is_killed_loses_nothing(tmp_path, expected, monkeypatch):
    def kill_one(self, number, record, call=SweepJob.note_written):
        call(self, number, record)
        if not killed:
            killed.append(next(iter(workers() - before)))
            os.kill(killed[0], signal.SIGKILL)

    def workers():
        clusters = psutil.Process().children()
        started = [child for one in clusters for child in one.children()]
        return {child.pid for child in started if "spawn_main" in " ".join(child.cmdline())}

    killed, before = [], workers()
    monkeypatch.setattr(SweepJob, "note_written", kill_one)
    found = ulna.sweep(SPEC, tmp_path / "s.zarr", workers=2)
    assert killed
    assert_same(found, expected)
    assert found.set_aside == ()


@pytest.mark.parametrize(("workers", "threads"), [(1, 8), (2, 4), (3, 2), (16, 1)])
def test_workers_share_the_cores(monkeypatch, workers, threads):
    monkeypatch.setattr(dask_clusters, "cores", lambda: 8)
    monkeypatch.setattr(dask_clusters, "_local_cluster", nullcontext)
    monkeypatch.setattr(dask_clusters, "_client", lambda *_: nullcontext())
    with dask_clusters.connected(workers, None, None) as made:
        assert made.threads == threads


def test_dask_knows_what_it_is_configured_by():
    unknown = {"distributed.nanny.pre-spawn-environ.MALLOC_MMAP_THRESHOLD_"}  # but glibc does
    for key in dask_clusters.CONFIGURATION.keys() - unknown:
        dask.config.get(key)  # which raises where there is no such setting


def settings(configuration):
    return {key: dask.config.get(key) for key in configuration}


def test_a_cluster_ends_at_once_whatever_its_workers_do(tmp_path):
    before = dask.config.config.copy(), dict(os.environ)
    others = set(psutil.Process().children(recursive=True))  # such as a browser of other tests
    with dask_clusters.connected(2, None, None) as made:
        asked = made.client.submit(settings, dask_clusters.CONFIGURATION).result()
        assert asked == dask_clusters.CONFIGURATION
        processes = set(psutil.Process().children(recursive=True)) - others
        flags = [tmp_path / "1", tmp_path / "2"]
        for flag in flags:
            made.client.submit(lambda file: file.touch() or time.sleep(60.0), flag)
        while not all(flag.exists() for flag in flags):
            time.sleep(0.01)
        start = time.monotonic()
    assert time.monotonic() - start < 2.0  # Dask itself waits for four seconds
    _, alive = psutil.wait_procs(processes, timeout=2.0)
    assert [one for one in alive if "resource_tracker" not in " ".join(one.cmdline())] == []
    assert (dask.config.config, dict(os.environ)) == before


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
    assert err.startswith("stopped")
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize("given", ["", "nonsense", "http://host:1", "inproc://1", "tcp://", "a b"])
def test_a_scheduler_that_is_no_address_is_refused(given):
    with prompt(), pytest.raises(InputError, match=r"scheduler: got .* need an address, such as"):
        ulna.sweep(SPEC, scheduler=given)


@pytest.mark.parametrize("port", ["", "0", "65536", "abc", "８７８６", "-1", "9" * 5000])
def test_a_scheduler_without_a_port_is_refused(port):
    with prompt(), pytest.raises(InputError, match="need an address, such as"):
        ulna.sweep(SPEC, scheduler=f"tcp://127.0.0.1:{port}")


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
        ({**files, "cert": str(tmp_path)}, "tls.cert: got .*, need a file"),
        (None, "got 'tls://127.0.0.1:1' with no files for tls"),
    ]:
        with prompt(), pytest.raises(InputError, match=words):
            ulna.sweep(SPEC, scheduler=nowhere, tls=tls)
    with pytest.raises(InputError, match="with files for tls, need an address at tls://"):
        ulna.sweep(SPEC, scheduler="tcp://127.0.0.1:1", tls=files)


def test_a_scheduler_that_does_not_answer_is_told(monkeypatch, capfd):
    monkeypatch.setattr(dask_clusters, "PATIENCE", 0.3)
    with pytest.raises(InputError, match="scheduler that answers"):
        ulna.sweep(SPEC, scheduler=f"tcp://127.0.0.1:{free_port()}")
    gc.collect()
    assert capfd.readouterr().err == ""


@needs_openssl
def test_a_scheduler_of_another_protocol_is_told(tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(dask_clusters, "PATIENCE", 2.0)
    tls = certificates(tmp_path)
    with dask_cluster(tmp_path, workers=0) as (address, _):
        wait_for_port(address)
        start = time.monotonic()
        with pytest.raises(InputError, match="scheduler that answers"):
            ulna.sweep(SPEC, scheduler=address.replace("tcp", "tls"), tls=tls)
        gc.collect()
        assert time.monotonic() - start < 10.0  # Dask's destructor waits for twenty seconds
    assert capfd.readouterr().err == ""


@pytest.mark.slow
def test_a_scheduler_that_is_killed_leaves_what_is_finished(tmp_path, expected, monkeypatch):
    with dask_cluster(tmp_path, workers=2) as (address, started):

        def kill_scheduler(self, number, record, call=SweepJob.note_written):
            call(self, number, record)
            if self.done > 100:
                os.kill(started[0].pid, signal.SIGKILL)

        monkeypatch.setattr(SweepJob, "note_written", kill_scheduler)
        with pytest.raises(ClusterError, match="is gone"):
            ulna.sweep(SPEC, tmp_path / "s.zarr", scheduler=address)
    monkeypatch.undo()
    with pytest.warns(UlnaWarning, match="not computed"):
        assert ulna.open_sweep(tmp_path / "s.zarr").finished > 100
    assert_same(ulna.sweep(SPEC, tmp_path / "s.zarr"), expected)


POISON = """
import os
from ulna.sweep import cluster

def poisoned(spec, points, call=cluster.compute, **options):
    if 77 in points:
        os._exit(9)
    return call(spec, points, **options)

cluster.compute = poisoned
"""


@pytest.mark.slow
def test_a_point_that_kills_real_workers_is_found(tmp_path, expected):
    (tmp_path / "poison.py").write_text(POISON)
    preload = {"distributed.worker.preload": [str(tmp_path / "poison.py")]}
    with dask.config.set(preload), pytest.warns(UlnaWarning, match="three times: 77"):
        found = ulna.sweep(SPEC, tmp_path / "s.zarr", workers=2)
    assert found.set_aside == (77,)
    others = [point for point in range(256) if point != 77]
    assert found.dataset["q"].values[others].tobytes() == expected["q"][others].tobytes()
    again = ulna.sweep(SPEC, tmp_path / "s.zarr", retry=True)
    assert_same(again, expected)


@pytest.mark.slow
def test_ctrl_c_while_workers_compute_keeps_what_is_finished(tmp_path, expected, monkeypatch):
    def press(self, number, record, call=SweepJob.note_written):
        call(self, number, record)
        threading.Timer(0.05, signal.raise_signal, [signal.SIGINT]).start()
        time.sleep(0.2)

    monkeypatch.setattr(SweepJob, "note_written", press)
    found = ulna.sweep(SPEC, tmp_path / "s.zarr", workers=2, on_interrupt="return")
    assert 0 < found.finished < 256
    assert not list((tmp_path / "s.zarr").rglob("*.part"))
    monkeypatch.undo()
    assert_same(ulna.sweep(SPEC, tmp_path / "s.zarr"), expected)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_workers_and_schedulers_that_are_killed_at_any_moment(tmp_path, monkeypatch, seed):
    monkeypatch.setattr(cluster, "ABSENCE", 8.0)
    chance = random.Random(seed)
    spec = {**SPEC, "duration": "2 s", "vary": {"payload": {"from": 0.0, "to": 1.0, "count": 640}}}
    with dask_cluster(tmp_path, workers=2) as (address, started):

        def strike():
            for _ in range(3):
                time.sleep(chance.uniform(0.2, 1.5))
                target = chance.choice(started[seed % 3 != 0 :])  # every third time any of them
                inner = [] if target is started[0] else psutil.Process(target.pid).children()
                with suppress(ProcessLookupError, psutil.NoSuchProcess):
                    os.kill(inner[-1].pid if inner else target.pid, signal.SIGKILL)

        thread = threading.Thread(target=strike)
        thread.start()
        try:
            found = ulna.sweep(spec, tmp_path / "s.zarr", scheduler=address)
            assert found.set_aside == ()
        except (ClusterError, InputError):
            pass  # the scheduler is gone, or never answered
        thread.join()
    expected = compute(read_spec(spec), range(640))
    assert_same(ulna.sweep(spec, tmp_path / "s.zarr"), expected)
