"""Variants on the workers of a Dask scheduler: this machine's own, or those at an address.

A worker has one thread: what it keeps of a geometry belongs to one variant at a time. A variant
that ends its worker takes the blame for others on it; those that are called killed are therefore
computed again one at a time, and only what ends its worker then is lost.
"""

from __future__ import annotations

import logging
import os
import signal
import threading
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from vastus.errors import FileError, MissingExtra, ModelError
from vastus.processes import no_script, unheard
from vastus.studies.engines.engine import Compute, number_of
from vastus.studies.engines.sent_files import SentFiles, files_of, sees
from vastus.studies.tasks import Outcome, Status, Work, code, perform

PATIENCE = 10.0  # [s] for a scheduler to answer
# Threads of the libraries in a worker that is started here, whatever its machine has. Those of BLAS
# are set before it starts, by Dask in the environment of this process, numba's in its own.
BLAS = {"OMP_NUM_THREADS": 1, "MKL_NUM_THREADS": 1, "OPENBLAS_NUM_THREADS": 1}
NUMBA = {"NUMBA_NUM_THREADS": 1}
SINGLE = BLAS | NUMBA


def dask(package: str = "distributed", extra: str = "studies") -> Any:
    """A package of Dask."""
    from importlib import import_module

    try:
        with same_interrupts():
            return import_module(package)
    except ModuleNotFoundError:
        raise MissingExtra(package.partition(".")[0].replace("_", "-"), extra) from None


@contextmanager
def same_interrupts() -> Iterator[None]:
    """Keep what SIGINT does: dask-jobqueue lets it end the process when it is imported."""
    handler = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, handler)


@contextmanager
def same_environment() -> Iterator[None]:
    """Take back what is set in the environment meanwhile: Dask's nannies set threads in it."""
    before = dict(os.environ)
    try:
        yield
    finally:
        for name in set(os.environ) - set(before):
            del os.environ[name]
        os.environ.update(before)


class OnDask:
    """Workers of a scheduler; a subclass says where it comes from."""

    name = "dask"
    workers = 0  # known once they are there

    def __init__(self, rest: str, options: Any) -> None:
        self._rest, self._options = rest, options
        if options.threads > 1:
            raise ModelError(
                f"a worker has one thread, but {options.threads} were asked for; start more "
                "workers, or use --on serial"
            )

    @contextmanager
    def client(self) -> Iterator[Any]:
        """A client of the scheduler."""
        raise NotImplementedError
        yield

    @contextmanager
    def started(self) -> Iterator[Compute]:
        """Workers that are there and fit."""
        with self.client() as client:
            require_fit(client)

            def compute(works: Sequence[Work]) -> Generator[Outcome, None, None]:
                killed: list[Work] = []
                sent = self._sent(client, works)
                yield from _computed(client, works, killed, sent)
                for work in killed:
                    yield from _alone(client, work, sent)

            yield compute

    def _sent(self, client: Any, works: Sequence[Work]) -> Any:
        """The files of scenes, on their way to workers that do not see them; else None.

        They are a task by themselves, so that workers that come later get them too.
        """
        sizes = {str(p.resolve()): p.stat().st_size for p in files_of(works).values()}
        if not sizes or all(client.run(sees, sizes).values()):
            return None
        sent = SentFiles.of(works)
        told = sum(map(len, sent.contents.values())) / 1e6
        self._options.told(
            f"workers do not see the scene's folder: {len(sent.contents)} files "
            f"({told:.2g} MB) are sent to them"
        )
        return client.submit(SentFiles, sent.contents, key=f"files-{sent.digest}", pure=True)


class Local(OnDask):
    """Workers on this machine, one for each processor unless their number is given."""

    name = "local"

    def __init__(self, rest: str, options: Any) -> None:
        super().__init__(rest, options)
        self.workers = number_of(self.name, rest, processors())

    @contextmanager
    def client(self) -> Iterator[Any]:
        """A scheduler and workers that nobody else reaches, and that end with this."""
        distributed, config = dask(), dask("dask").config
        level = logging.CRITICAL
        with config.set(settings()), silent(), same_environment():
            with unheard(), no_script():
                cluster = distributed.LocalCluster(
                    n_workers=self.workers,
                    threads_per_worker=1,
                    host="127.0.0.1",
                    dashboard_address="127.0.0.1:0",
                    silence_logs=level,
                )
            patience = 5.0
            try:
                client = distributed.Client(cluster, timeout=PATIENCE)
                if self._options.dashboard:
                    self._options.told(f"dashboard: {client.dashboard_link}")
                yield client
            except BaseException:
                end_now(cluster)
                patience = 1.0  # its workers are gone
                raise
            finally:
                # A second Ctrl-C must not leave workers behind.
                with suppress(Exception):
                    client.close(timeout=2)
                with suppress(Exception):
                    cluster.close(timeout=patience)


def end_now(cluster: Any) -> None:
    """End workers amid what they compute, for which a cluster that is closed waits four seconds.

    Nothing is lost with them: whatever has ended is known here.
    """
    for nanny in cluster.workers.values():
        nanny.auto_restart = False
        with suppress(Exception):
            os.kill(nanny.pid, signal.SIGKILL)


class AtAddress(OnDask):
    """Workers that someone has started, by the address of their scheduler."""

    @contextmanager
    def client(self) -> Iterator[Any]:
        """The client, or one sentence if nobody answers."""
        address = self._rest
        if "://" not in address and ":" not in address:
            raise ModelError(
                f"--on 'dask:{address}' has no address; give one such as dask:tcp://host:8786"
            )
        distributed, config = dask(), dask("dask").config
        if not address.startswith(("tls://", "tcp://127.", "tcp://localhost", "127.", "localhost")):
            self._options.told(
                f"warning: what goes to {address} is not encrypted, and whoever reaches that "
                "scheduler can run code on its workers; tls://... with certificates is safe"
            )
        with config.set(settings()), silent():
            try:
                client = distributed.Client(address, timeout=PATIENCE)
            except (OSError, ValueError, TimeoutError) as error:
                raise FileError(
                    f"no scheduler answers at {address} in {PATIENCE:g} s ({_brief(error)}); start "
                    "one with: dask scheduler"
                ) from None
            try:
                self.workers = len(client.scheduler_info(n_workers=-1)["workers"])
                if not self.workers:
                    raise FileError(
                        f"the scheduler at {address} has no workers; start one with: dask worker "
                        f"{address} --nthreads 1"
                    )
                if self._options.dashboard:
                    self._options.told(f"dashboard: {client.dashboard_link}")
                yield client
            finally:
                with suppress(Exception):
                    client.close(timeout=2)


def settings() -> dict[str, Any]:
    """What Dask is told: libraries with one thread, and no profiler, which costs memory."""
    return {
        "distributed.nanny.pre-spawn-environ": {**BLAS, "MALLOC_TRIM_THRESHOLD_": 65536},
        "distributed.nanny.environ": NUMBA,
        "distributed.worker.profile.enabled": False,
        "distributed.admin.log-format": "%(message)s",
    }


@contextmanager
def silent() -> Iterator[None]:
    """Keep Dask from logging meanwhile; what counts is told in sentences."""
    loggers = [logging.getLogger(name) for name in ("distributed", "tornado", "asyncio")]
    levels = [logger.level for logger in loggers]
    try:
        for logger in loggers:
            logger.setLevel(logging.CRITICAL + 1)
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def fitness(dask_worker: Any = None) -> dict[str, Any]:
    """What a worker says of itself; called there."""
    from vastus.numerics.jit import use_threads

    use_threads(1)
    threads = dask_worker.state.nthreads if dask_worker is not None else 1
    return {"code": code(), "threads": threads}


def require_fit(client: Any) -> None:
    """Refuse workers with several threads, without vastus, or with another version of it."""
    try:
        found: Mapping[str, Mapping[str, Any]] = client.run(fitness)
    except ModuleNotFoundError as error:
        raise ModelError(
            f"a worker has no package '{error.name}'; install the same vastus there as here"
        ) from None
    except (AttributeError, ImportError) as error:
        raise ModelError(
            f"a worker has another version of vastus, which lacks what is needed ({error})"
        ) from None
    here = code()
    for address, said in found.items():
        if said["threads"] != 1:
            raise ModelError(
                f"the worker at {address} has {said['threads']} threads; start workers with one: "
                "dask worker ADDRESS --nworkers N --nthreads 1"
            )
        if said["code"] != here:
            raise ModelError(
                f"the worker at {address} has version {said['code']} of vastus, but here is "
                f"{here}; install the same on both"
            )


def performed(work: Work, here: str, sent: SentFiles | None = None) -> Outcome:
    """Compute a variant on a worker, which may have come later and be of another version."""
    if sent is not None:
        work = sent.work(work, Path(dask().get_worker().local_directory))
    if code() != here:
        sentence = f"this worker has version {code()} of vastus, not {here}"
        return Outcome(work.key, work.values, Status.LOST, sentence)
    return perform(work)


def _computed(
    client: Any, works: Sequence[Work], killed: list[Work], sent: Any
) -> Iterator[Outcome]:
    """The outcomes of works as they come; those that are said to kill their workers are listed."""
    distributed = dask()
    by_key = {work.key: work for work in works}
    here = code()
    futures = [
        client.submit(
            performed, work, here, sent, key=f"variant-{work.key}", pure=False, priority=-k
        )
        for k, work in enumerate(works)
    ]
    try:
        for future in distributed.as_completed(futures):
            work = by_key[future.key.removeprefix("variant-")]
            try:
                yield future.result()
            except distributed.KilledWorker:
                killed.append(work)
            except (distributed.CancelledError, OSError) as error:
                raise FileError(f"the scheduler is gone: {_brief(error)}") from None
            except Exception as error:
                yield _refused(work, error)
            future.release()
    finally:
        with suppress(Exception):
            client.cancel(futures, force=True)


def _alone(client: Any, work: Work, sent: Any) -> Iterator[Outcome]:
    """The outcome of a work that was on a worker that ended, with nothing beside it."""
    again: list[Work] = []
    yield from _computed(client, [work], again, sent)
    if again:
        sentence = (
            "it ended its worker each time, also when nothing else ran; it may need more memory "
            "than a worker has, or crash"
        )
        yield Outcome(work.key, work.values, Status.LOST, sentence)


def _refused(work: Work, error: Exception) -> Outcome:
    """The outcome of a work that a worker could not even begin."""
    return Outcome(work.key, work.values, Status.FAILED, f"on its worker: {_brief(error)}")


def _brief(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:200]
