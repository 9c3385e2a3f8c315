"""What flesh costs to build and to bend: `flesh.py [--surfaces FOLDER] [--spacing 0.0046]`.

Flesh is put around the upper body of the package, or around the bones and muscles of a folder of
surfaces of one, in millimetres; then both elbows bend by 5 degrees a frame.
"""

from __future__ import annotations

import argparse
import resource
import time
from pathlib import Path

import numpy as np

from vastus.bodies.upper.assembly import whole_upper_body
from vastus.bodies.upper.joint_table import PAPER_CAGE, joint_table
from vastus.control.upper_body.dynamics import Dynamics
from vastus.control.upper_body.exercises import arms
from vastus.control.upper_body.musculoskeleton import Musculoskeleton
from vastus.control.upper_body.targets import KeyPoses
from vastus.files.meshes import read_surface
from vastus.flesh.build import FleshSettings, build_flesh
from vastus.flesh.parts import BonePart, FleshParts, MusclePart
from vastus.flesh.skin import SkinSettings
from vastus.flesh.solver import FleshSolver
from vastus.flesh.upper_body import UPPER_BODY_SKIN, upper_body_parts
from vastus.geometry.surface import Surface
from vastus.modelling.trunk.scanned import scanned
from vastus.reproduce.upper_body.tissue.held import poses_at

MILLIMETRE = 1e-3


def own() -> tuple[FleshParts, SkinSettings, Dynamics]:
    """The body of the package."""
    dynamics = Dynamics(Musculoskeleton.of(whole_upper_body()))
    return upper_body_parts(), UPPER_BODY_SKIN, dynamics


def of_surfaces(folder: Path) -> tuple[FleshParts, SkinSettings, Dynamics]:
    """The body of a folder of surfaces."""
    skeleton = scanned(folder)
    carrier = {bone: row.name for row in joint_table(PAPER_CAGE) for bone in row.bones}
    bones = [BonePart(name, bone, carrier[name]) for name, bone in skeleton.bones.items()]
    muscles = []
    for file in sorted((folder / "muscles").iterdir()):
        surface = read_surface(file)
        muscles.append(MusclePart(file.stem, Surface(MILLIMETRE * surface.X, surface.faces)))
    dynamics = Dynamics(Musculoskeleton.of(whole_upper_body(skeleton)))
    return FleshParts(bones, muscles, name=folder.name), SkinSettings(), dynamics


def main() -> None:
    """Read the options, build and bend."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--surfaces", type=Path)
    options.add_argument("--spacing", type=float, default=0.0046, help="[m] of the lattice")
    options.add_argument("--frames", type=int, default=2)
    given = options.parse_args()
    parts, skin, dynamics = of_surfaces(given.surfaces) if given.surfaces else own()
    print(f"{len(parts.bones)} bones, {len(parts.muscles)} muscles", flush=True)
    begun = time.process_time()
    flesh = build_flesh(parts, FleshSettings(spacing=given.spacing, skin=skin), step)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{flesh!r}: {time.process_time() - begun:.1f} s of the processor, {memory:.1f} GB")
    solver, frame = FleshSolver(flesh), None
    for k in range(1, given.frames + 1):
        pose = arms(dynamics, elbow=k * np.radians(5.0))
        q = KeyPoses.of(dynamics.body, [(0.0, pose)]).poses[0]
        frame = solver.frame(poses_at(dynamics, q), start=frame)
        report = frame.report
        assert report is not None
        print(
            f"{5 * k} degrees: {report.seconds:.1f} s of the processor, {report.newton} "
            f"iterations, {report.sentence}, {report.inverted} inverted, volume "
            f"{100 * (report.volume - 1):+.3f} %, bones off by {1e3 * report.stretch:.3f} mm",
            flush=True,
        )


def step(name: str) -> None:
    """Tell the step that is begun, and the time since the start."""
    print(f"{time.process_time():7.1f} s: {name}", flush=True)


if __name__ == "__main__":
    main()
