"""Keep where a result's regions are in its first, middle and last frame, to compare with.

    .venv/bin/python tools/places.py RESULT places.npz

`check_in_blender.py` reads the file, in a Python that knows nothing of this package.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from vastus.export.regions import identifiers
from vastus.pictures.skin import region_skins
from vastus.results.playback import read_tape


def write_places(folder: Path, path: Path) -> None:
    """Write the names of regions, three times [s], the rate [1/s] and the points (3, p, 3) [m]."""
    tape = read_tape(folder, fields=())
    skins = region_skins(tape.model, split=False)
    chosen = [tape[i] for i in (0, len(tape) // 2, len(tape) - 1)]
    rate = (len(tape) - 1) / max(tape.times[-1] - tape.times[0], 1e-9)
    places = {
        f"points_{number}": np.array([moment.x[skin.vertices] for moment in chosen])
        for number, skin in enumerate(skins.values())
    }
    times = np.array([moment.time for moment in chosen])
    names, plain = list(skins), list(identifiers(skins).values())
    np.savez(
        path, **places, names=names, plain=plain, times=times, frames=len(tape), rate=rate or 24.0
    )


if __name__ == "__main__":
    write_places(Path(sys.argv[1]), Path(sys.argv[2]))
