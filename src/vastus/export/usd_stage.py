"""A new stage: metres, z up, its clock, and where it came from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from vastus import __version__
from vastus.export.clock import Clock
from vastus.export.identifiers import readable
from vastus.io.tape import Tape

TOP = "/Model"
MARK = "vastus"  # the layer data that say where the file is from


def new_stage(path: Path, tape: Tape, clock: Clock) -> Any:
    """A stage with the prim `TOP`, to be saved to a path that may exist."""
    from pxr import Usd, UsdGeom

    stage = Usd.Stage.CreateNew(str(path))
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    stage.SetTimeCodesPerSecond(clock.rate)
    stage.SetFramesPerSecond(clock.rate)
    stage.SetStartTimeCode(clock.codes[0])
    stage.SetEndTimeCode(clock.codes[-1])
    top = UsdGeom.Xform.Define(stage, TOP).GetPrim()
    top.SetDisplayName(readable(tape.model.name))
    stage.SetDefaultPrim(top)
    _say_where_from(stage.GetRootLayer(), tape)
    return stage


def _say_where_from(layer: Any, tape: Tape) -> None:
    told = tape.result.provenance
    scene, model = (str(told.get(key) or "") for key in ("scene", "model"))
    layer.documentation = readable(
        f"Motion of the model '{tape.model.name}', written by Vastus {__version__}. "
        f"Metres, seconds, z up. Hash of the scene: {scene or 'none'}; of the model: {model}."
    )
    layer.customLayerData = {
        MARK: {
            "version": __version__,
            "scene": scene,
            "model": model,
            "provenance": json.dumps(told, sort_keys=True),
        }
    }
