"""The bodies of Fig. 10 with the paper's laws: two muscles side by side, and one over a corner."""

from __future__ import annotations

from dataclasses import replace

from vastus.model import Model
from vastus.modelling.gallery.contacting import BESIDE, beside_itself, curved
from vastus.parts import Contact, Drive, Volume
from vastus.reproduce.emu import paper


def side_by_side(tets: int, *, released: bool) -> Model:
    """Two fusiform muscles between the same two bones, the lower one free if `released`."""
    model = beside_itself(paper.heterogeneous(tets // 2), BESIDE)
    upper, lower = model.bones
    drive = Drive.FREE if released else Drive.PINNED
    return model.with_(bones=(upper, replace(lower, drive=drive)), contact=Contact())


def round_a_corner(tets: int) -> Model:
    """A muscle over the edge of a fixed bracket of bone, a square bone hanging from its end."""
    model = curved(tets)
    return model.with_(
        regions=tuple(replace(r, laws=paper.MUSCLE) if r.muscle else r for r in model.regions),
        muscles=(replace(model.muscles[0], strength=paper.ACTIVE),),
        volume=Volume.TET,
        name="round a corner",
    )
