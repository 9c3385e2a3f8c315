"""What an exported file says, read back: it should be what the result says."""

from __future__ import annotations

from dataclasses import dataclass, field

from vastus.numerics.types import Floats, Ints


@dataclass(frozen=True, eq=False)
class MeshCopy:
    """The surface of one region over all frames, z up."""

    faces: Ints  # (k, 3) into the points, in the order of `region_skins(model, split=False)`
    x: Floats  # (frames, p, 3) [m]
    fields: dict[str, Floats] = field(default_factory=dict)  # (frames, p) or (frames, k) each


@dataclass(frozen=True, eq=False)
class Copy:
    """The contents of a file: meshes by the name of their region, and columns by name."""

    times: Floats  # (frames,) [s]
    meshes: dict[str, MeshCopy] = field(default_factory=dict)
    table: dict[str, Floats] = field(default_factory=dict)  # (frames,) each
