"""A model of the gallery performs its script: frames, times, whether it was sound, and pictures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from vastus.job import Job, prepare, require_sound, solve
from vastus.modelling.gallery.members import Member
from vastus.numerics.types import Ints
from vastus.pictures.renderer import Image, Renderer
from vastus.results.playback import Playback
from vastus.results.result import Result, read_result
from vastus.results.soundness import Soundness
from vastus.scene.read import scene_of

QUICK = 16_000  # tets of a quick run at most: fewer do not resolve what touches
MOMENTS, HEIGHT = 5, 420  # pictures of a performance, and pixels of each
Measure = Callable[[Result], dict[str, float]]


@dataclass(frozen=True, eq=False)
class Performance:
    """What a model did: its scene solved, with seconds a frame, and numbers measured of it."""

    member: Member
    job: Job
    frames: int
    seconds: float  # a frame, in the mean
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
    text = member.sized(size_of(member, full))
    job = prepare(scene_of(text.encode(), Path(f"{member.name}.yaml")))
    require_sound(job)
    return job


def perform(
    member: Member, full: bool, measure: Measure = lambda _: {}, *, most: int | None = None
) -> Performance:
    """Let a model perform its script, or at most so many frames of it; its files are not kept."""
    job = job_of(member, full)
    with TemporaryDirectory() as place:
        folder = Path(place) / member.name
        for _ in islice(solve(job, folder, warm=True), most):
            pass
        result = read_result(folder)
        count = len(result.times)
        rows = np.unique(np.linspace(0, count - 1, min(MOMENTS, count)).round().astype(int))
        shots = () if most else drawn(result, rows)
        return Performance(
            member, job, count, float(np.mean(result.table["seconds"])), Soundness.of(result),
            measure(result), shots, tuple(float(result.times[row]) for row in rows),
        )  # fmt: skip


def drawn(result: Result, rows: Ints) -> tuple[Image, ...]:
    """Pictures of some frames, before one camera."""
    playback = Playback(result)
    seen = [playback[int(row)] for row in rows]
    with Renderer(result.model, seen, HEIGHT) as renderer:
        return tuple(renderer.picture(snapshot) for snapshot in seen)
