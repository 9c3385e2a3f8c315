"""How many frames a second the viewer can show: 300 frames of a model of 50,000 tets.

    python benchmarks/view.py [--tets 50000] [--frames 300]

Reads each frame from disk once (the first round) and plays it again from memory (the second), for
each way of colouring; a frame counts when its surfaces are with the server, ready to be sent.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np

from vastus import shapes
from vastus.app.figure import Figure
from vastus.app.look import ColourBy, Look, Plane
from vastus.app.view.timeline import CachedPlayback
from vastus.app.web_page import Page
from vastus.model import Model
from vastus.results.result import read_playback
from vastus.results.writer import ResultWriter
from vastus.state import Frame, Report, State, rest


def main() -> None:
    """Write frames that bulge, and time how fast they are shown."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--tets", type=int, default=50_000)
    options.add_argument("--frames", type=int, default=300)
    given = options.parse_args()
    model = shapes.elbow(tets=given.tets)
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder) / "result", model, given.frames)
        show(CachedPlayback(read_playback(Path(folder) / "result")))


def write(folder: Path, model: Model, count: int) -> None:
    """A result of so many frames, none of them solved."""
    start = rest(model)
    with ResultWriter(folder, model) as writer:
        for k in range(count):
            swell = 1.0 + 0.02 * np.sin(2 * np.pi * k / count)
            state = State(model.mesh.X * [swell, swell, 1.0], start.poses, start.inputs)
            writer.add(Frame(k, state, Report(True, 1, 0.0, 1.0, 0.0)))


def show(reel: CachedPlayback) -> None:
    """Print frames a second, and processor time a frame, for each round."""
    middle = Plane(reel.model.mesh.X.mean(axis=0), np.array([0.0, 1.0, 0.0]))
    looks = {
        "first round, from disk": Look(limits=reel.limits),
        "tissue": Look(limits=reel.limits),
        "stretch": Look(ColourBy.STRETCH, limits=reel.limits),
        "stretch, fibres": Look(ColourBy.STRETCH, limits=reel.limits, fibres=True),
        "stretch, cut open": Look(ColourBy.STRETCH, limits=reel.limits, cut=middle),
    }
    with Page("benchmark", port=0) as page:
        figure = Figure(page.server, reel.model)
        for name, look in looks.items():
            began, used = time.perf_counter(), time.process_time()
            for index in range(len(reel)):
                figure.draw(reel[index], look)
            taken, busy = time.perf_counter() - began, time.process_time() - used
            n = len(reel)
            print(f"{name:24} {n / taken:6.1f} frames/s, {1e3 * busy / n:5.1f} ms of CPU a frame")


if __name__ == "__main__":
    main()
