"""A model of the gallery performs its script: frames, times, whether it was sound, and pictures."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from vastus.job import Job, prepare, require_sound, solve
from vastus.modelling.gallery.members import Member
from vastus.numerics.types import Ints
from vastus.pictures.renderer import Image, Renderer
from vastus.reproduce.experiment import Setting
from vastus.reproduce.kept import place_of
from vastus.reproduce.style import seconds as in_words
from vastus.results.playback import Playback
from vastus.results.result import Result, read_result, read_state
from vastus.results.soundness import Soundness
from vastus.scene.read import scene_of

QUICK = 16_000  # tets of a quick run at most: fewer do not resolve what touches
MOMENTS, HEIGHT = 5, 420  # pictures of a performance, and pixels of each
WHOLE = 0.9  # of its time is a frame's processor time at least if nothing else runs
Measure = Callable[[Result], dict[str, float]]


@dataclass(frozen=True)
class Pace:
    """Seconds that a frame took in the mean by the clock, and of processor time."""

    seconds: float
    processor: float | None  # None if nothing was solved now: all frames were kept

    def __str__(self) -> str:
        told = f"{in_words(self.seconds)} a frame"
        if self.processor is None or self.processor >= WHOLE * self.seconds:
            return told
        return f"{told}, {in_words(self.processor)} of processor time"


@dataclass(frozen=True, eq=False)
class Performance:
    """What a model did: its scene solved, with seconds a frame, and numbers measured of it."""

    member: Member
    job: Job
    frames: int
    pace: Pace
    sound: Soundness
    measured: dict[str, float]
    pictures: tuple[Image, ...]
    times: tuple[float, ...]

    @property
    def tets(self) -> int:
        """How many tets it had."""
        return self.job.model.mesh.n_tets

    @property
    def is_sound(self) -> bool:
        """Whether nothing was inverted, 1 mm deep in another, or apart by 1 micrometre."""
        sound = self.sound
        return not sound.inverted and sound.depth < 1e-3 and (sound.gap or 0.0) < 1e-6


def size_of(member: Member, full: bool) -> int:
    """How many tets a model is asked for."""
    return member.size.tets if full else min(member.size.tets, QUICK)


def job_of(member: Member, full: bool) -> Job:
    """The scene of a model, built."""
    return built(member.sized(size_of(member, full)), member.name)


def built(text: str, name: str) -> Job:
    """The scene of a text, built."""
    job = prepare(scene_of(text.encode(), Path(f"{name}.yaml")))
    require_sound(job)
    return job


def perform(
    member: Member, setting: Setting, measure: Measure = lambda _: {}, *, most: int | None = None
) -> Performance:
    """Let a model perform its script, or at most so many frames of it."""
    job = job_of(member, setting.full)
    with place_of(setting, member.name) as folder:
        result, pace = solved(job, folder, setting, most=most)
        rows = moments(result)
        return Performance(
            member, job, len(result.times), pace, Soundness.of(result), measure(result),
            () if most else drawn(result, rows), tuple(float(result.times[row]) for row in rows),
        )  # fmt: skip


def solved(
    job: Job, folder: Path, setting: Setting, *, most: int | None = None
) -> tuple[Result, Pace]:
    """The frames of a scene, or the first so many; those that the folder holds are kept."""
    kept, count = read_state(folder)[0], min(len(job.inputs), most or len(job.inputs))
    began, worked = time.perf_counter(), time.process_time()
    for frame in islice(solve(job, folder, resume=True, warm=True), count - kept):
        done = frame.index + 1
        left = (time.perf_counter() - began) / (done - kept) * (count - done)
        setting.note(
            f"{job.scene.description.name}: frame {done}/{count}, {in_words(frame.report.seconds)}"
            + (f", about {left / 60:.0f} min left" if left > 90 else "")
        )
    share = (time.process_time() - worked) / (time.perf_counter() - began)
    result = read_result(folder)
    seconds = _mean_seconds(result)
    return result, Pace(seconds, share * seconds if kept < count else None)


def _mean_seconds(result: Result) -> float:
    """Of the frames that were solved: a motion's first is given."""
    seconds, iterations = result.table["seconds"], result.table["iterations"]
    return float(np.mean(seconds[iterations > 0])) if iterations.any() else 0.0


def moments(result: Result) -> Ints:
    """Some frames, from the first to the last."""
    count = len(result.times)
    return np.unique(np.linspace(0, count - 1, min(MOMENTS, count)).round().astype(int))


def drawn(result: Result, rows: Ints) -> tuple[Image, ...]:
    """Pictures of some frames, before one camera."""
    playback = Playback(result)
    seen = [playback[int(row)] for row in rows]
    with Renderer(result.model, seen, HEIGHT) as renderer:
        return tuple(renderer.picture(snapshot) for snapshot in seen)
