"""A study: many variants of one thing, computed by an engine, none of them twice."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from vastus.errors import FileError, ModelError, SolveError, VastusError
from vastus.files.safe import make_folder, write_text
from vastus.results.provenance import Provenance, Record
from vastus.results.provenance import Status as Ended
from vastus.results.writer import Lock
from vastus.scene.schema import unknown
from vastus.studies.designs import Design, Row
from vastus.studies.engines import engine
from vastus.studies.engines.engine import Compute
from vastus.studies.outputs import TIME, AnyOutput, Output
from vastus.studies.parameters import Parameter
from vastus.studies.records import PROVENANCE, STUDY, Records, counts, write_table
from vastus.studies.tasks import Outcome, Status, Task, Work, code, perform

StudyWatch = Callable[["Progress"], object]
Outcomes = Generator[Outcome, None, None]


class Subject(Protocol):
    """What a study varies."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def columns(self) -> Sequence[str]:
        """What its tables have, where that is known before anything is computed."""

    @property
    def span(self) -> tuple[float, float] | None:
        """The first and last time [s] of every variant, where that is known too."""

    def task(self, values: Row) -> Task:
        """What a variant with these values computes."""


@dataclass(frozen=True)
class Progress:
    """How many variants there are, how many have ended and how, and the last of them."""

    total: int
    ended: int
    kept: int  # of those that have ended, how many were there before
    failed: int
    last: Outcome | None = None


@dataclass(frozen=True)
class Options:
    """How a study is carried out; none of it changes what a variant gives.

    `part` is (k, n): only each n-th variant from the k-th on, counted from 1.
    """

    on: str = "serial"
    part: tuple[int, int] | None = None
    retry_failed: bool = False
    stop: bool = False  # at the first variant that fails
    threads: int = 1  # of a variant, where nothing else runs
    dashboard: bool = False
    told: Callable[[str], object] = lambda sentence: None  # what an engine has to say


@dataclass(frozen=True, eq=False)
class Table:
    """The variants of a study that are done: columns by name, and what became of the others."""

    rows: tuple[Row, ...]
    outcomes: tuple[Outcome | None, ...]
    parameters: tuple[Parameter, ...] = ()
    design: Design = field(default_factory=Design)

    def __getitem__(self, name: str) -> np.ndarray:
        """(done,) the values of a parameter or an output in the variants that are done."""
        from vastus.studies.records import columns_of

        pairs = zip(self.rows, self.outcomes, strict=True)
        done = [(r, o) for r, o in pairs if o is not None and is_done(o)]
        names = [*(self.rows[0] if self.rows else []), *columns_of(self.outcomes)]
        if name not in names:
            raise ModelError(unknown("column", name, names))
        return np.array([r[name] if name in r else o.outputs.get(name, np.nan) for r, o in done])

    def __len__(self) -> int:
        """How many variants are done."""
        return sum(map(is_done, self.outcomes))

    @property
    def failed(self) -> list[Outcome]:
        """The variants that have no result, each with its sentence."""
        return [o for o in self.outcomes if o is not None and o.status is not Status.DONE]


def is_done(outcome: Outcome | None) -> Any:
    """Whether a variant has a result."""
    return outcome is not None and outcome.status is Status.DONE


class Study:
    """Variants of a subject by a design, and what is kept of each."""

    def __init__(
        self,
        subject: Subject,
        parameters: Sequence[Parameter],
        outputs: Sequence[AnyOutput],
        design: Design = Design(),  # noqa: B008  (frozen)
        *,
        text: str = "",
    ) -> None:
        self.subject, self.parameters = subject, tuple(parameters)
        self.outputs, self.design, self.text = tuple(outputs), design, text
        names = [one.name for one in self.parameters]
        for name in names:
            if names.count(name) > 1:
                raise ModelError(f"two parameters are called '{name}'")
        self._require_columns()
        self.rows = design.rows(self.parameters)

    def _require_columns(self) -> None:
        """Refuse an output that no table of the subject has."""
        for one in self.outputs:
            for name in one.columns if isinstance(one, Output) and self.subject.columns else ():
                if name not in self.subject.columns:
                    sentence = unknown("column", name, list(self.subject.columns))
                    raise ModelError(f"output '{one.name}': {sentence}")
            if isinstance(one, Output) and one.columns[-1] == TIME and self.subject.span:
                one.require_time(self.subject.span)

    @cached_property
    def works(self) -> list[Work | Outcome]:
        """Each variant as work, or as the outcome that it is where its values are refused."""
        return [self._work(number, row) for number, row in enumerate(self.rows)]

    def _work(self, number: int, row: Row) -> Work | Outcome:
        specs, now = [one.spec for one in self.outputs], code()
        try:
            task = self.subject.task(row)
            key = key_of([task.identity, specs, now])
            return Work(number, key, row, task.called(key), self.outputs)
        except VastusError as error:
            key = key_of([self.subject.name, row, specs, now])
            return Outcome(key, row, Status.REFUSED, " ".join(str(error).split()))

    @property
    def keys(self) -> list[str]:
        """The key of each variant."""
        return [work.key for work in self.works]

    def chosen(self, part: tuple[int, int] | None) -> list[Work | Outcome]:
        """The variants of a part; those of one geometry follow each other."""
        if part is None:
            return self.works
        first, count = part
        return self.works[first - 1 :: count]

    def run(
        self,
        folder: str | Path,
        *,
        on: str = "serial",
        watch: StudyWatch | None = None,
        **options: Any,
    ) -> Table:
        """Compute what is not in the folder yet, write its table, and return it."""
        for progress in self.carry_out(Path(folder), Options(on=on, **options)):
            if watch is not None:
                watch(progress)
        return self.table(folder)

    def outcomes(self, on: str = "serial", **options: Any) -> Iterator[Outcome]:
        """The outcomes of all variants as they come; nothing is written."""
        how = Options(on=on, **options)
        with engine(on, how).started() as compute:
            yield from self._computed(self._new({}, how), how, compute)

    def carry_out(self, folder: Path, options: Options) -> Iterator[Progress]:
        """Compute what is not in a folder yet, and tell after each variant how far it is.

        Each outcome is on disk before it is told. The table is written in the end, also after an
        interrupt; a study that goes on in the same folder computes only what is missing.
        """
        at, known = engine(options.on, options), self._known(Records(folder), options)
        needed = any(isinstance(one, Work) for one in self._new(known, options))
        # Whoever is to compute is found, or refused, before anything is written.
        with at.started() if needed else nullcontext(no_work) as compute:
            yield from self._in_folder(folder, options, compute)

    def _in_folder(self, folder: Path, options: Options, compute: Compute) -> Iterator[Progress]:
        part = options.part
        word = f"{part[0]}/{part[1]}" if part else ""
        make_folder(folder)
        lock = Lock(make_folder(folder / f".part_{part[0]}") if part else folder)
        try:
            records = Records(folder, word)
            record = self._begin(folder, options)
            try:
                yield from self._recorded(records, options, compute)
            except BaseException as error:
                self._end(record, folder, records, error)
                raise
            self._end(record, folder, records, None)
        finally:
            lock.release()
            if part:
                with suppress(OSError):
                    (folder / f".part_{part[0]}").rmdir()

    def _known(self, records: Records, options: Options) -> dict[str, Outcome]:
        """What is not computed again."""
        chosen = {work.key for work in self.chosen(options.part)}
        known = {k: o for k, o in records.known.items() if k in chosen}
        return {k: o for k, o in known.items() if is_done(o)} if options.retry_failed else known

    def _new(self, known: Mapping[str, Outcome], options: Options) -> list[Work | Outcome]:
        """The variants that are not known, each once."""
        return list({w.key: w for w in self.chosen(options.part) if w.key not in known}.values())

    def _recorded(self, records: Records, options: Options, compute: Compute) -> Iterator[Progress]:
        known = self._known(records, options)
        kept, failed = len(known), sum(not is_done(o) for o in known.values())
        ended, total = kept, len({work.key for work in self.chosen(options.part)})
        yield Progress(total, ended, kept, failed)
        for outcome in self._computed(self._new(known, options), options, compute):
            records.add(outcome)
            ended, failed = ended + 1, failed + (not is_done(outcome))
            yield Progress(total, ended, kept, failed, outcome)
            if options.stop and not is_done(outcome):
                told = ", ".join(f"{k} = {v}" for k, v in outcome.values.items())
                kind = ModelError if outcome.status is Status.REFUSED else SolveError
                raise kind(f"the study stops at {told}: {outcome.sentence}")

    def _computed(
        self, new: Sequence[Work | Outcome], options: Options, compute: Compute
    ) -> Outcomes:
        """The outcomes of variants, first of those whose values are refused."""
        yield from (one for one in new if isinstance(one, Outcome))
        works = [one for one in new if isinstance(one, Work)]
        works = [replace(work, threads=options.threads) for work in in_order(works)]
        with closing(compute(works)) as outcomes:
            yield from outcomes

    def table(self, folder: str | Path) -> Table:
        """What is known in a folder of the variants of this study."""
        known = Records(Path(folder)).known
        outcomes = tuple(known.get(key) for key in self.keys)
        return Table(tuple(self.rows), outcomes, self.parameters, self.design)

    def first(self) -> Outcome:
        """The outcome of the first variant that is not refused, computed here and now."""
        for work in self.works:
            if isinstance(work, Work):
                return perform(work)
        refused = self.works[0]
        assert isinstance(refused, Outcome)
        raise ModelError(refused.sentence)

    def _begin(self, folder: Path, options: Options) -> Record:
        """Write what the study is; a folder with another kind of result is refused."""
        if (folder / "model.npz").exists():
            raise FileError(f"'{folder}' holds a result; give another folder")
        if self.text:
            write_text(folder / STUDY, self.text)
        job = getattr(self.subject, "job", None)
        provenance = Provenance(job and job.solver, job.scene.digest if job else "")
        record = Record.begin(folder / PROVENANCE, provenance, job.model.digest if job else "")
        record.contents["study"] = {
            "subject": self.subject.name,
            "parameters": {one.name: list(one.paths) for one in self.parameters},
            "numeric": [one.name for one in self.parameters if one.numeric],
            "outputs": [one.name for one in self.outputs],
            "columns": {one.name: one.column for one in self.outputs if isinstance(one, Output)},
            "design": {"kind": self.design.kind, "n": self.design.n, "seed": self.design.seed},
            "variants": len(self.rows),
            "keys": self.keys,
            "rows": self.rows,
            "engine": options.on,
            "threads": options.threads,
        }
        record.mark(Ended.RUNNING)
        return record

    def _end(
        self, record: Record, folder: Path, records: Records, error: BaseException | None
    ) -> None:
        """Write the table and how the study ended."""
        latest = Records(folder).known | records.known
        outcomes = [latest.get(key) for key in self.keys]
        write_table(folder, self.rows, outcomes)
        told = ", ".join(f"{count} {status}" for status, count in counts(outcomes).items() if count)
        sentence = f"{told or 'none'} of {len(self.rows)}"
        interrupted = isinstance(error, KeyboardInterrupt | GeneratorExit)
        failed = Ended.INTERRUPTED if interrupted else Ended.FAILED
        record.mark(failed if error else Ended.FINISHED, sentence)


def no_work(works: Sequence[Work]) -> Outcomes:
    """What a study computes that has all its variants already."""
    assert not works
    yield from ()


def in_order(works: Sequence[Work]) -> list[Work]:
    """Works with those of one geometry after each other, as they come first."""
    groups: dict[str, list[Work]] = {}
    for work in works:
        groups.setdefault(work.task.group, []).append(work)
    return [work for group in groups.values() for work in group]


def key_of(value: Any) -> str:
    """A hash of plain data, whatever the order of its keys."""
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:32]
