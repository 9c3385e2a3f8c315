"""Import an exported result into Blender and compare it with the result itself.

It is run by a Python that has Blender as a module (each version of `bpy` fits one Python):

    python3.11 -m venv blender && blender/bin/pip install bpy==4.5.15
    .venv/bin/vastus export RESULT --to usd -o motion.usdc
    .venv/bin/python tools/places.py RESULT places.npz
    blender/bin/python tools/check_in_blender.py motion.usdc places.npz [picture.png]

It prints how far the vertices of each region are from where they should be, after skinning, in
the first, the middle and the last frame, and ends with 1 if any is 1e-5 m away or more.
"""

from __future__ import annotations

import sys
from pathlib import Path

import bpy
import numpy as np
from mathutils import Vector

NEAR = 1e-5  # [m]
IMPORTERS = {
    ".abc": lambda path: bpy.ops.wm.alembic_import(filepath=path, as_background_job=False),
    ".glb": lambda path: bpy.ops.import_scene.gltf(filepath=path),
    ".usda": lambda path: bpy.ops.wm.usd_import(filepath=path),
    ".usdc": lambda path: bpy.ops.wm.usd_import(filepath=path),
}
SIZE = (800, 600)  # of the picture
SAMPLES = 32


def main(file: str, places: str, picture: str = "") -> int:
    """Import, compare, draw; 1 if anything is not where it should be."""
    wanted = np.load(places)
    open_in_blender(file, float(wanted["rate"]))
    right = [right_frames(wanted), right_places(wanted)]
    if picture:
        draw(Path(picture))
    return 0 if all(right) else 1


def open_in_blender(file: str, rate: float) -> None:
    """Import into an empty scene that plays `rate` frames a second."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    render = bpy.context.scene.render
    render.fps, render.fps_base = max(round(rate), 1), max(round(rate), 1) / rate
    IMPORTERS[Path(file).suffix](str(Path(file).resolve()))
    print(f"Blender {bpy.app.version_string}")


def right_frames(wanted: np.lib.npyio.NpzFile) -> bool:
    """Whether the scene begins and ends with the result, and has as many frames."""
    ends, found = wanted["times"][[0, -1]] * wanted["rate"], frame_range()
    right = (
        np.allclose(found, ends, atol=1e-4) and round(found[1] - found[0]) + 1 == wanted["frames"]
    )
    print(f"frames {found}, expected {ends.round(4)}, {wanted['frames']} in all: {right}")
    return bool(right)


def frame_range() -> tuple[float, float]:
    """The first and last frame of what moves: the importer of glTF leaves the scene's as it is."""
    scene, ranges = bpy.context.scene, [action.frame_range for action in bpy.data.actions]
    if any(o.data.shape_keys for o in bpy.data.objects if o.type == "MESH"):
        return min(r[0] for r in ranges), max(r[1] for r in ranges)
    return scene.frame_start, scene.frame_end


def right_places(wanted: np.lib.npyio.NpzFile) -> bool:
    """Whether each region, and the box around all, is where it should be."""
    worst, names = 0.0, called(wanted)
    for number, time in enumerate(wanted["times"]):
        show(time * wanted["rate"])
        found = [points_of(name) for name in names]
        rest = [wanted[f"points_{i}"][number] for i in range(len(found))]
        for name, here, there in zip(wanted["names"], found, rest, strict=True):
            away = _away(here, there)
            worst = max(worst, away)
            print(f"{time:8.4f} s  {away:.2e} m  {len(here):6d} points  {name}")
        print(f"{time:8.4f} s  box {_box(found)}, expected {_box(rest)} m")
    print(f"worst {worst:.2e} m")
    return worst < NEAR


def show(frame: float) -> None:
    """Go to a frame, which may lie between whole ones."""
    whole = int(np.floor(frame + 1e-4))
    bpy.context.scene.frame_set(whole, subframe=max(frame - whole, 0.0))


def called(wanted: np.lib.npyio.NpzFile) -> list[str]:
    """What the regions are called here: by their own names, or by plain ones."""
    meshes = {o.name for o in bpy.data.objects if o.type == "MESH"}
    for names in (wanted["plain"].tolist(), wanted["names"].tolist()):
        if meshes.issuperset(names):
            return names
    sys.exit(f"not all of {wanted['names'].tolist()} are among the meshes {sorted(meshes)}")


def points_of(name: str) -> np.ndarray:
    """(p, 3) the vertices of a mesh in the world, after skinning and other modifiers."""
    posed = bpy.data.objects[name].evaluated_get(bpy.context.evaluated_depsgraph_get())
    flat = np.empty(3 * len(posed.data.vertices), np.float32)
    posed.data.vertices.foreach_get("co", flat)
    world = np.array(posed.matrix_world)
    return flat.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3]


def draw(path: Path) -> None:
    """Draw the frame that is shown, from the side and above."""
    names = [o.name for o in bpy.data.objects if o.type == "MESH"]
    points = np.concatenate([points_of(name) for name in names])
    middle, size = (points.min(axis=0) + points.max(axis=0)) / 2, np.ptp(points, axis=0).max()
    _look(middle, size)
    _light()
    scene = bpy.context.scene
    scene.render.engine, scene.cycles.device, scene.cycles.samples = "CYCLES", "CPU", SAMPLES
    scene.render.threads_mode, scene.render.threads = "FIXED", 1
    scene.render.resolution_x, scene.render.resolution_y = SIZE
    scene.view_settings.view_transform = "Standard"
    scene.render.filepath = str(path.resolve())
    bpy.ops.render.render(write_still=True)


def _look(middle: np.ndarray, size: float) -> None:
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    bpy.context.collection.objects.link(camera)
    away = Vector((-1.0, -0.35, 0.3)).normalized()
    camera.location = Vector(middle) + float(2.1 * size) * away
    camera.rotation_euler = away.to_track_quat("Z", "Y").to_euler()
    bpy.context.scene.camera = camera


def _light() -> None:
    sun = bpy.data.objects.new("sun", bpy.data.lights.new("sun", "SUN"))
    sun.data.energy, sun.data.angle = 2.0, 0.3
    sun.rotation_euler = (0.6, -0.7, 0.0)
    bpy.context.collection.objects.link(sun)
    world = bpy.data.worlds.new("world")
    world.use_nodes = True
    world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.55, 0.6, 0.67, 1.0)
    bpy.context.scene.world = world


def _away(here: np.ndarray, there: np.ndarray) -> float:
    """How far points are from where they should be, in their order; infinite if some are lost."""
    if here.shape != there.shape:
        return float("inf")
    return float(np.linalg.norm(here - there, axis=1).max())


def _box(parts: list[np.ndarray]) -> np.ndarray:
    return np.ptp(np.concatenate(parts), axis=0).round(6)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
