"""Pictures of a build from surfaces, one for each step, and of any model from four sides."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from vastus.io.build_fibre_scene import fibres_sheet
from vastus.io.build_joint_scene import joints_sheet
from vastus.io.build_mesh_scene import mesh_sheet
from vastus.io.build_scenes import GLASSY, attachments_sheet, parts_sheet, tendons_sheet, views
from vastus.io.easel import Thing, solid
from vastus.io.files import make_folder
from vastus.io.lettering import Entry
from vastus.io.sheet import Sheet
from vastus.io.sides import upward
from vastus.io.skin import IVORY, RELAXED, SILVER, SKIN, Skin, skins
from vastus.model import Model, Tissue
from vastus.modelling.anatomy.surfaces_model import Anatomy

PLAIN = {Tissue.MUSCLE: RELAXED, Tissue.TENDON: SILVER, Tissue.BONE: IVORY, Tissue.PASSIVE: SKIN}


def draw_build(anatomy: Anatomy, model: Model, folder: Path) -> list[Path]:
    """Draw the steps that led to a model, each to a PNG file in a folder; the files, in order."""
    body, up = anatomy.body, upward(model.gravity)
    sheets = {
        "1_parts": parts_sheet(anatomy, up),
        "2_mesh": mesh_sheet(body, up),
        "3_attachments": attachments_sheet(body, up),
        "4_tendons": tendons_sheet(body, up),
        "5_fibres": fibres_sheet(body, model, up),
        "6_joints": joints_sheet(body, model, anatomy.fits, up),
    }
    drawn = {make_folder(folder) / f"{name}.png": sheet for name, sheet in sheets.items() if sheet}
    for path, sheet in drawn.items():
        sheet.save(path)
    return list(drawn)


def draw_model(model: Model, path: Path) -> None:
    """Draw a model at rest from four sides to one PNG file."""
    things = [_thing(model, skin) for skin in skins(model)]
    counts = {"muscles": model.muscles, "bones": model.bones, "joints": model.joints}
    lines = [
        model.name,
        f"{model.mesh.n_tets} tets, "
        + ", ".join(f"{len(items)} {kind}" for kind, items in counts.items()),
    ]
    found = [tissue for i, tissue in enumerate(Tissue) if (model.tissue == i).any()]
    entries = [Entry(0, PLAIN[tissue], tissue.value) for tissue in found]
    seen = model.mesh.X[np.unique(model.mesh.boundary)]
    Sheet(lines, views(things, seen, upward(model.gravity)), entries).save(path)


def _thing(model: Model, skin: Skin) -> Thing:
    X = model.mesh.X[skin.vertices]
    rgb = np.array([PLAIN[tissue] for tissue in Tissue])[model.tissue[skin.tets]]
    return solid(
        X,
        skin.faces,
        rgb,
        opacity=GLASSY if skin.tissue is Tissue.PASSIVE else 1.0,
    )
