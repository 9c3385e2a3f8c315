"""Frames of a motion, solved one after another in chains that processes share out.

A chain begins at rest and has a fixed number of frames, so that a frame does not depend on who
solves the others: any number of processes, and a run that was killed and resumed, give the same
bits.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from vastus.cache import digest
from vastus.errors import FileError, SolveError, VastusError
from vastus.files.npz import read_npz, write_npz
from vastus.files.safe import leftovers, make_folder, read_text, write_text
from vastus.flesh.build import Flesh
from vastus.flesh.flesh_file import load_flesh
from vastus.flesh.motion import Motion, read_motion, write_motion
from vastus.flesh.solver import FleshFrame, FleshReport, FleshSolver
from vastus.numerics.minimise import Moment
from vastus.numerics.types import Floats
from vastus.processes import end_family, prepared, start, when_orphaned

CHAIN = 12  # frames of a chain
FLESH, MOTION, FRAMES, PLAN = "flesh.npz", "motion.npz", "frames", "frames.json"


@dataclass(frozen=True)
class Progress:
    """How far frames are: so many `done` of a `total`, and what one of them is about."""

    done: int
    total: int
    text: str


Watch = Callable[[Progress], None]


def _unwatched(_: Progress) -> None:
    """Nobody is told."""


def frame_path(folder: Path, index: int) -> Path:
    """The file of a frame."""
    return folder / FRAMES / f"frame_{index:05d}.npz"


def solve_frames(
    folder: str | Path,
    motion: Motion,
    *,
    tolerance: float = 1e-4,
    processes: int = 1,
    chain: int = CHAIN,
    watch: Watch = _unwatched,
) -> list[Path]:
    """Solve all frames of a motion of the flesh in a folder's `flesh.npz`, and return their files.

    Frames that are there already, of the same flesh and motion, are kept. What other frames have
    left in the folder is removed.
    """
    folder = Path(folder)
    flesh = load_flesh(folder / FLESH)
    motion = motion.among(flesh.bodies, flesh.muscle_names)
    make_folder(folder / FRAMES)
    _begin(folder, motion, tolerance, chain)
    paths = [frame_path(folder, index) for index in range(len(motion))]
    chains = [range(i, min(i + chain, len(motion))) for i in range(0, len(motion), chain)]
    left = [c for c in chains if not all(paths[i].exists() for i in c)]
    if processes > 1 and len(left) > 1:
        _together(folder, left, paths, processes, watch)
    else:
        solver = FleshSolver(flesh, tolerance=tolerance)
        for one in left:
            _solve_chain(folder, solver, motion, one, watch)
    return paths


def _begin(folder: Path, motion: Motion, tolerance: float, chain: int) -> None:
    """Remove the frames of another motion, flesh or tolerance, and say whose these are."""
    levels = () if motion.activation is None else motion.activation
    identity = digest([
        (folder / FLESH).stat().st_size, _sum(folder / FLESH), motion.times, motion.bodies,
        motion.poses, motion.muscles, levels, tolerance, chain,
    ])  # fmt: skip
    plan = folder / PLAN
    if not plan.exists() or f'"{identity}"' not in read_text(plan):
        for path in (folder / FRAMES).glob("frame_*.npz"):
            path.unlink()
        write_motion(folder / MOTION, motion)
        write_text(plan, json.dumps({"identity": identity, "frames": len(motion),
                                     "tolerance": tolerance, "chain": chain}) + "\n")  # fmt: skip
    for path in leftovers(folder / FRAMES / "frame_*.npz"):
        path.unlink(missing_ok=True)


def _sum(path: Path) -> str:
    """The digest of what is in a file of flesh."""
    return digest([(name, array) for name, array in sorted(read_npz(path).items())])


def _solve_chain(
    folder: Path, solver: FleshSolver, motion: Motion, chain: range, watch: Watch
) -> None:
    """Solve the frames of a chain that are not there yet."""
    last: FleshFrame | None = None
    for index in chain:
        path = frame_path(folder, index)
        if path.exists():
            last = read_frame(path)
            continue
        poses, activations = motion.at(index)
        total, name = len(motion), f"frame {index + 1}/{len(motion)}"

        def tell(at: Moment, name: str = name, total: int = total) -> None:
            over = at.residual / at.target if at.target else 0.0
            text = f"{name}, iteration {at.iteration}, residual {over:.1e} times the target"
            watch(Progress(-1, total, text))

        last = solver.frame(poses, activations, start=last, watch=tell)
        report = last.report
        assert report is not None
        if report.inverted:
            raise SolveError(f"{name}: {report.inverted} tets are inverted")
        write_frame(path, solver, last)
        done = sum(1 for _ in (folder / FRAMES).glob("frame_*.npz"))
        watch(Progress(done, total, _told(name, report)))


def _told(name: str, report: FleshReport) -> str:
    doubt = "" if report.converged else f"; {report.sentence}"
    return (
        f"{name}, {report.newton} iterations, {report.linear} of conjugate gradients, residual "
        f"{report.residual:.1e} N, volume {100 * (report.volume - 1):+.2f} %, "
        f"{report.seconds:.1f} s of the processor{doubt}"
    )


def write_frame(path: Path, solver: FleshSolver, frame: FleshFrame) -> None:
    """Write a frame: free nodes, poses, activations, report, and the skin."""
    report = json.dumps(asdict(frame.report)) if frame.report else "null"
    if frame.report:  # the time that it took is no part of a result
        report = json.dumps({**asdict(frame.report), "seconds": 0.0})
    write_npz(path, {
        "y": frame.y, "poses": frame.poses, "activation": frame.activation,
        "skin": solver.skin(frame).astype(np.float32), "report": np.array(report),
    })  # fmt: skip


def read_frame(path: Path) -> FleshFrame:
    """A frame of a file."""
    stored = read_npz(path)
    try:
        told = json.loads(str(stored["report"]))
        report = FleshReport(**told) if told else None
        return FleshFrame(stored["y"], stored["poses"], stored["activation"], report)
    except (KeyError, ValueError, TypeError):
        raise FileError(f"'{path}' is not a frame of flesh") from None


def skin_positions(path: Path) -> Floats:
    """(v, 3) the vertices of the skin in a frame's file [m]."""
    return np.asarray(read_npz(path)["skin"], float)


def _together(
    folder: Path, chains: list[range], paths: list[Path], processes: int, watch: Watch
) -> None:
    """Let processes solve chains, each the next ones of its own share."""
    count = min(processes, len(chains))
    shares = [[(c.start, c.stop) for c in chains[k::count]] for k in range(count)]
    workers = [prepared(_work, str(folder), share, name=f"flesh {k}")
               for k, share in enumerate(shares)]  # fmt: skip
    began, total = time.monotonic(), len(paths)
    before = sum(path.exists() for path in paths)
    try:
        for worker in workers:
            start(worker, script=False)
        while any(worker.is_alive() for worker in workers):
            time.sleep(0.5)
            done = sum(path.exists() for path in paths)
            each = (time.monotonic() - began) / max(done - before, 1)
            text = f"{done}/{total} frames by {count} processes, {each:.1f} s each"
            watch(Progress(done, total, text))
    finally:
        for worker in workers:
            end_family(worker)
    missing = [path for path in paths if not path.exists()]
    if missing:
        why = sorted((folder / FRAMES).glob("failure_*.txt"))
        sentence = read_text(why[0]).strip() if why else "its process ended without a word"
        for path in why:
            path.unlink()
        raise SolveError(f"no frame '{missing[0].name}': {sentence}")


def _work(folder: str, share: list[tuple[int, int]]) -> None:
    """What a process does: its chains, one after another."""
    from vastus.numerics.jit import use_threads

    when_orphaned(lambda: os._exit(1))
    use_threads(1)
    place = Path(folder)
    try:
        plan = json.loads(read_text(place / PLAN))
        motion = read_motion(place / MOTION)
        solver = FleshSolver(load_flesh(place / FLESH), tolerance=plan["tolerance"])
        for first, end in share:
            _solve_chain(place, solver, motion, range(first, end), _unwatched)
    except VastusError as error:
        write_text(place / FRAMES / f"failure_{share[0][0]:05d}.txt", f"{error}\n")


def frames_of(folder: str | Path) -> Iterator[tuple[float, FleshFrame]]:
    """The times [s] and the frames of a folder, in order."""
    folder = Path(folder)
    motion = read_motion(folder / MOTION)
    for index, at in enumerate(motion.times):
        path = frame_path(folder, index)
        if not path.exists():
            raise FileError(f"there is no '{path}'; solve the frames first")
        yield float(at), read_frame(path)


def flesh_of(folder: str | Path) -> Flesh:
    """The flesh of a folder."""
    return load_flesh(Path(folder) / FLESH)
