"""What stages of bodies have in common: their root, and transforms in time."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from vastus import __version__
from vastus.errors import FileError
from vastus.export.regions import Clock
from vastus.export.usd.layer import SUFFIXES, require_usd
from vastus.export.usd.prims import MARK, TOP, set_clock
from vastus.files.identifiers import readable
from vastus.numerics.types import Floats

STAYS = 1e-12  # by which a pose may differ from the first


def require_usd_path(path: Path) -> None:
    """Refuse if USD cannot be written, or not to this path."""
    require_usd()
    if path.suffix.lower() not in SUFFIXES:
        raise FileError(f"'{path}' must end in one of {', '.join(SUFFIXES)} to be USD")


def new_body_stage(
    path: Path, name: str, provenance: Mapping[str, Any], ticks: Clock, groups: Sequence[str]
) -> Any:
    """A stage for the motion of a body, with transforms at the paths of its groups."""
    from pxr import Usd, UsdGeom

    stage = Usd.Stage.CreateNew(str(path))
    set_clock(stage, ticks)
    top = UsdGeom.Xform.Define(stage, TOP).GetPrim()
    top.SetDisplayName(readable(name))
    stage.SetDefaultPrim(top)
    for group in groups:
        UsdGeom.Xform.Define(stage, group)
    layer, body = stage.GetRootLayer(), str(provenance.get("model") or "")
    layer.documentation = readable(
        f"Motion of a body, '{name}', written by Vastus {__version__}. Metres, seconds, "
        f"z up. Hash of the body: {body or 'none'}."
    )
    told = json.dumps(dict(provenance), sort_keys=True)
    layer.customLayerData = {MARK: {"version": __version__, "model": body, "provenance": told}}
    return stage


def move(frame: Any, poses: Floats, ticks: Clock) -> None:
    """Give a transform its poses (k, 3, 4); one that stays has a single one."""
    from pxr import Gf

    transform = frame.AddTransformOp()
    stays = bool(np.abs(poses - poses[0]).max() < STAYS)
    for code, pose in zip(ticks.codes, poses, strict=True):
        whole = np.vstack([pose, [0.0, 0.0, 0.0, 1.0]])
        matrix = Gf.Matrix4d(*whole.T.ravel().tolist())
        if stays:
            transform.Set(matrix)
            return
        transform.Set(matrix, code)
