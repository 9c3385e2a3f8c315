"""Flesh in a file, so that processes and later runs need not build it again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from vastus.cache import digest
from vastus.energies.flesh.mixture import Shares, Tissue
from vastus.errors import FileError
from vastus.files.npz import Arrays, read_npz, write_npz
from vastus.flesh.build import Embedded, Embedding, Flesh, FleshSettings
from vastus.flesh.parts import FleshParts
from vastus.flesh.skin import SkinGroup, SkinSettings
from vastus.geometry.surface import Surface
from vastus.geometry.tetmesh import TetMesh

VERSION = 3


def digest_of(parts: FleshParts, settings: FleshSettings) -> str:
    """What tells the flesh of these parts and settings from any other."""
    others = [(other.name, other.surface.X, other.surface.faces) for other in parts.others]
    named = [(b.name, b.carrier, b.surface.X, b.surface.faces) for b in parts.bones]
    bellies = [
        (m.name, m.surface.X, m.surface.faces, m.density,
         None if m.fibres is None else (m.fibres.points, m.fibres.directions))
        for m in parts.muscles
    ]  # fmt: skip
    skin = () if parts.skin is None else (parts.skin.X, parts.skin.faces)
    return digest([VERSION, named, bellies, others, skin, json.dumps(asdict(settings))])


def save_flesh(path: str | Path, flesh: Flesh, made_of: str = "") -> None:
    """Write flesh to an `.npz` file; `made_of` is kept with it."""
    P = flesh.P
    surfaces = [flesh.skin.surface, *(m.surface for m in flesh.muscles)]
    surfaces += [surface for _, surface in flesh.bones]
    text = {
        "version": VERSION,
        "made_of": made_of,
        "settings": asdict(flesh.settings),
        "facts": flesh.facts,
        "bodies": flesh.bodies,
        "muscles": flesh.muscle_names,
    }
    places = [flesh.skin.places, *(m.places for m in flesh.muscles), flesh.sample_places]
    write_npz(path, {
        "text": np.array(json.dumps(text)),
        "X": flesh.mesh.X, "T": flesh.mesh.T, "level": flesh.level,
        "P_data": P.data, "P_indices": P.indices, "P_indptr": P.indptr,
        "samples": flesh.samples, "sample_body": flesh.sample_body,
        "sample_area": flesh.sample_area,
        "share_tet": flesh.shares.tet, "share_muscle": flesh.shares.muscle,
        "share": flesh.shares.share, "share_fibre": flesh.shares.fibre,
        "share_density": flesh.shares.density,
        "surface_X": np.concatenate([s.X for s in surfaces]),
        "surface_faces": np.concatenate([s.faces for s in surfaces]),
        "surface_size": np.array([(s.n_vertices, s.n_faces) for s in surfaces]),
        "bone_body": np.array([body for body, _ in flesh.bones]),
        "place_tet": np.concatenate([p.tets for p in places]),
        "place_weight": np.concatenate([p.weights for p in places]),
    })  # fmt: skip


def load_flesh(path: str | Path) -> Flesh:
    """Read flesh from a file that `save_flesh` wrote."""
    stored = read_npz(path)
    try:
        return _flesh(json.loads(str(stored["text"])), stored)
    except (KeyError, ValueError, TypeError, IndexError):
        raise FileError(f"'{path}' holds no flesh of this version of vastus") from None


def made_of(path: Path) -> str:
    """What the flesh of a file was made of; empty if there is none."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            text = json.loads(str(stored["text"]))
        return str(text["made_of"]) if text["version"] == VERSION else ""
    except (OSError, ValueError, KeyError, TypeError, EOFError):
        return ""


def _flesh(text: dict[str, Any], stored: Arrays) -> Flesh:
    if text["version"] != VERSION:
        raise ValueError("another version")
    X, T = stored["X"], stored["T"]
    indptr = stored["P_indptr"]
    free = int(stored["P_indices"].max()) + 1
    P = sparse.csr_array((stored["P_data"], stored["P_indices"], indptr), shape=(len(X), free))
    muscles, bones = text["muscles"], stored["bone_body"].tolist()
    surfaces = _surfaces(stored)
    sizes = [s.n_vertices for s in surfaces[: 1 + len(muscles)]] + [len(stored["samples"])]
    ends = np.cumsum([0, *sizes])
    places = [
        Embedding(stored["place_tet"][a:b], stored["place_weight"][a:b]) for a, b in pairwise(ends)
    ]
    shares = Shares(
        stored["share_tet"], stored["share_muscle"], stored["share"], stored["share_fibre"],
        stored["share_density"],
    )  # fmt: skip
    bellies = surfaces[1 : 1 + len(muscles)]
    return Flesh(
        _settings(text["settings"]),
        TetMesh(X, T),
        stored["level"],
        P,
        tuple(text["bodies"]),
        stored["samples"],
        stored["sample_body"],
        stored["sample_area"],
        places[-1],
        tuple(muscles),
        shares,
        Embedded(surfaces[0], places[0]),
        tuple(Embedded(s, p) for s, p in zip(bellies, places[1:-1], strict=True)),
        tuple(zip(bones, surfaces[1 + len(muscles) :], strict=True)),
        text["facts"],
    )


def _surfaces(stored: Arrays) -> list[Surface]:
    ends = np.vstack([[[0, 0]], np.cumsum(stored["surface_size"], axis=0)])
    X, faces = stored["surface_X"], stored["surface_faces"]
    return [Surface(X[a:b], faces[c:d]) for (a, c), (b, d) in pairwise(ends.tolist())]


def _settings(text: dict[str, Any]) -> FleshSettings:
    skin = dict(text["skin"])
    groups: Sequence[dict[str, Any]] = skin.pop("groups")
    made = tuple(SkinGroup(**{**group, "names": tuple(group["names"])}) for group in groups)
    rest = {k: v for k, v in text.items() if k not in ("skin", "tissue", "gravity")}
    return FleshSettings(
        **rest,
        gravity=tuple(text["gravity"]),
        skin=SkinSettings(**skin, groups=made),
        tissue=Tissue(**text["tissue"]),
    )
