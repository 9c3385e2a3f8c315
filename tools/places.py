"""Keep where a result's regions are in its first, middle and last frame, to compare with.

    .venv/bin/python tools/places.py RESULT places.npz

`check_in_blender.py` reads the file, in a Python that knows nothing of this package.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from vastus.files.identifiers import identifiers
from vastus.pictures.skin import region_skins
from vastus.results.result import read_playback


def write_places(folder: Path, path: Path) -> None:
    """Write the names of regions, three times [s], the rate [1/s] and the points (3, p, 3) [m]."""
    playback = read_playback(folder, fields=())
    skins = region_skins(playback.model, split=False)
    chosen = [playback[i] for i in (0, len(playback) // 2, len(playback) - 1)]
    rate = (len(playback) - 1) / max(playback.times[-1] - playback.times[0], 1e-9)
    places = {
        f"points_{number}": np.array([moment.x[skin.vertices] for moment in chosen])
        for number, skin in enumerate(skins.values())
    }
    times = np.array([moment.time for moment in chosen])
    names, plain = list(skins), list(identifiers(skins).values())
    np.savez(
        path,
        **places,
        names=names,
        plain=plain,
        times=times,
        frames=len(playback),
        rate=rate or 24.0,
    )


if __name__ == "__main__":
    write_places(Path(sys.argv[1]), Path(sys.argv[2]))
