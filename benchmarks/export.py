"""Seconds and memory to export a long motion to each format: `export.py [--frames 300]`.

An elbow of 50,000 tets is solved once; its frames go from rest to there and back, the soft tissue
evenly and the bones by turns. Each format is written in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from vastus import Model, QuasiNewton, ramp, shapes, simulate
from vastus.bench.jobs import describe, peak
from vastus.errors import MissingExtra
from vastus.export.export import export
from vastus.export.formats import FORMATS
from vastus.measure.outputs import Outputs
from vastus.results.writer import ResultWriter
from vastus.state import Frame, Report, State, rest

FPS = 30.0


def between(model: Model, last: State, share: float, time: float) -> State:
    """The state a part of the way from rest to the last, its bones rigid."""
    inputs = replace(rest(model).inputs.towards(last.inputs, share), time=time)
    driven = replace(last.inputs, poses=last.poses)
    poses = rest(model).inputs.towards(driven, share).poses
    x = (1 - share) * model.mesh.X + share * last.x
    for bone, pose in enumerate(poses):
        own = model.bone_of_vertex == bone
        x[own] = model.mesh.X[own] @ pose[:, :3].T + pose[:, 3]
    return State(x, poses, inputs)


def make(folder: Path, tets: int, frames: int) -> Model:
    """Write the result that is exported."""
    model = shapes.elbow(tets=tets)
    inputs = ramp(model, biceps=0.6, seconds=0.3)
    *_, solved = simulate(model, QuasiNewton(), inputs)
    outputs = Outputs(model)
    with ResultWriter(folder, model) as writer:
        for number in range(frames):
            share = 0.5 - 0.5 * np.cos(2 * np.pi * number / (frames - 1))
            state = between(model, solved.state, share, number / FPS)
            writer.add(Frame(number, state, Report(True, 1, 0.0, 1.0, 0.0), outputs.of(state)))
    return model


def measure(folder: Path, to: str, path: Path) -> None:
    """Export, and print the figures of this process; what ffmpeg takes is not among them."""
    began, worked = time.perf_counter(), time.process_time()
    try:
        export(folder, path, to=to)
    except MissingExtra as error:
        print(json.dumps({"missing": str(error)}))
        return
    taken = {"seconds": time.perf_counter() - began, "cpu_seconds": time.process_time() - worked}
    files = [file for file in path.rglob("*") if file.is_file()] if path.is_dir() else [path]
    size = sum(file.stat().st_size for file in files) / 1e6
    print(json.dumps(taken | {"peak_MB": peak(), "size_MB": size}))


def apart(folder: Path, to: str) -> dict[str, float | str]:
    """The figures of a format, measured in a process of its own."""
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        path = Path(scratch) / f"copy{FORMATS[to].suffix}"
        words = [sys.executable, __file__, "--folder", folder, "--one", to, "--path", path]
        done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True)
        figures: dict[str, float | str] = json.loads(done.stdout)
        return figures


def main() -> None:
    """Make the result unless it is there, export it to each format, and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tets", type=int, default=50_000)
    parser.add_argument("--frames", type=int, default=300)
    parser.add_argument("--folder", type=Path, help="where the result is kept")
    parser.add_argument("--formats", default=",".join(FORMATS))
    parser.add_argument("--out", type=Path)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--path", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        measure(options.folder, options.one, options.path)
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.folder or Path(scratch) / "result"
        if not folder.exists():
            make(folder, options.tets, options.frames)
        report(options, folder)


def report(options: argparse.Namespace, folder: Path) -> None:
    """Print and save the figures of all formats."""
    found = {}
    for to in options.formats.split(","):
        found[to] = figures = apart(folder, to)
        told = "  ".join(f"{name} {_short(value)}" for name, value in figures.items())
        print(f"{to:>8}  {told}", flush=True)
    if options.out:
        size = {"tets": options.tets, "frames": options.frames}
        contents = {"machine": describe(), **size, "formats": found}
        options.out.write_text(json.dumps(contents, indent=2) + "\n")


def _short(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:>8.1f}"


if __name__ == "__main__":
    main()
