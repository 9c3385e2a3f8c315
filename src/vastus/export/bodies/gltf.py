"""A body's motion as one binary glTF file: parts turn and shift, muscles are morph targets.

A muscle has the colour of its largest activation, for glTF has no colours in time; its activations
are in the `extras` of its node.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from vastus import __version__
from vastus.export.bodies.shapes import BodyShapes, poses_over_time, reds
from vastus.export.formats import Watch
from vastus.export.gltf.glb import Buffer, Json, Target, require_size, write_glb
from vastus.export.gltf.gltf_file import POINT, UP, Motion
from vastus.export.gltf.nodes import single, turns
from vastus.export.regions import linear
from vastus.files.safe import replacing
from vastus.geometry.surface import Surface
from vastus.numerics.types import Floats, Ints
from vastus.results.body_motion import BodyMotion

STATIONS, AROUND = 17, 8  # of a muscle: every frame holds all its points


def write(motion: BodyMotion, path: Path, watch: Watch) -> None:
    """Write one `.glb` file, in metres, with one animation."""
    shapes = BodyShapes(motion.body, stations=STATIONS, around=AROUND)
    require_size(path, len(motion) * len(motion.body.units) * STATIONS * AROUND * POINT)
    with replacing(path) as file, tempfile.TemporaryFile(dir=path.parent) as scratch:
        document = _Document(motion, shapes, Buffer(scratch))
        write_glb(file, document.filled(watch), document.buffer)


@dataclass
class _Document:
    motion: BodyMotion
    shapes: BodyShapes
    buffer: Buffer
    nodes: list[Json] = field(default_factory=list)
    meshes: list[Json] = field(default_factory=list)
    materials: list[Json] = field(default_factory=list)

    def filled(self, watch: Watch) -> Json:
        """The document with all nodes, whose arrays are in the buffer."""
        said = {"times_s": self.motion.times.tolist(), "length_unit": "m"}
        self.nodes.append({"name": self.motion.name or "body", "rotation": UP, "extras": said})
        carried = self._parts()
        muscles = self._muscles(watch)
        self.nodes[0]["children"] = [*carried, *muscles]
        return {
            "asset": {"version": "2.0", "generator": f"vastus {__version__}"},
            "scene": 0,
            "scenes": [{"nodes": [0]}],
            "nodes": self.nodes,
            "meshes": self.meshes,
            "materials": self.materials,
            **self._animation(carried, muscles),
        }

    def _parts(self) -> dict[int, Floats]:
        """The nodes of the parts, and their poses (k, 3, 4) over time."""
        found = {}
        for part, poses in poses_over_time(self.shapes, self.motion).items():
            below = []
            for bone in self.shapes.surfaces:
                if bone.body == part:
                    normals = _unit_normals(bone.surface)
                    colour = np.array(bone.colour[:3])
                    mesh = self._mesh(
                        bone.name, bone.surface.X, normals, bone.surface.faces, colour
                    )
                    below.append(self._node({"name": bone.name, "mesh": mesh}))
            placed = {"rotation": turns(poses[:1])[0].tolist(),
                      "translation": poses[0, :, 3].tolist()}  # fmt: skip
            kind = "ball" if part in self.shapes.loose else "bone"
            told = {"part": part, "kind": kind}
            node = self._node({"name": part, **placed, "children": below, "extras": told})
            found[node] = poses
        return found

    def _muscles(self, watch: Watch) -> list[int]:
        """The nodes of the muscles, with a morph target for each frame after the first."""
        found, names, first = [], self.motion.body.names, None
        for index, position in enumerate(self.motion.positions):
            self.shapes.place(position)
            X, N = self.shapes.muscles()
            if first is None:
                first = X, N
                most = reds(self.motion.activations.max(axis=0))
                for k, name in enumerate(names):
                    mesh = self._mesh(name, X[k], N[k], self.shapes.faces, most[k])
                    told = {"muscle": name, "activation": self.motion.activations[:, k].tolist()}
                    found.append(self._node({"name": name, "mesh": mesh, "extras": told}))
            else:
                self._morph([self.meshes[self.nodes[n]["mesh"]] for n in found], X, N, first)
            watch(index + 1, len(self.motion))
        return found

    def _morph(
        self, meshes: list[Json], X: Floats, N: Floats, first: tuple[Floats, Floats]
    ) -> None:
        pairs = zip(X - first[0], N - first[1], strict=True)
        arrays = [single(values) for pair in pairs for values in pair]
        numbers = self.buffer.add_all(arrays, Target.VERTICES) if arrays else []
        for mesh, points, normals in zip(meshes, numbers[::2], numbers[1::2], strict=True):
            targets = mesh["primitives"][0].setdefault("targets", [])
            targets.append({"POSITION": points, "NORMAL": normals})

    def _mesh(self, name: str, X: Floats, N: Floats, faces: Ints, colour: Floats) -> int:
        points, normals = self.buffer.add_all([single(X), single(N)], Target.VERTICES)
        corners = self.buffer.add(faces.ravel().astype(np.uint32), Target.INDICES)
        base = {"baseColorFactor": [*linear(colour).tolist(), 1.0], "metallicFactor": 0.0,
                "roughnessFactor": 0.6}  # fmt: skip
        self.materials.append({"name": name, "pbrMetallicRoughness": base})
        shape = {"attributes": {"POSITION": points, "NORMAL": normals}, "indices": corners,
                 "material": len(self.materials) - 1}  # fmt: skip
        self.meshes.append({"name": name, "primitives": [shape]})
        return len(self.meshes) - 1

    def _node(self, node: Json) -> int:
        self.nodes.append(node)
        return len(self.nodes) - 1

    def _animation(self, carried: dict[int, Floats], muscles: list[int]) -> Json:
        if len(self.motion) == 1:
            return {}
        played = Motion(self.buffer, self.buffer.add(single(self.motion.times)))
        for node, poses in carried.items():
            played.play(node, "rotation", played.curve(turns(poses)))
            played.play(node, "translation", played.curve(poses[:, :, 3]))
        if muscles:
            # In frame i only its own target counts; between frames a viewer blends two.
            weights = played.curve(np.eye(len(self.motion))[:, 1:].ravel())
            for node in muscles:
                played.play(node, "weights", weights)
        animation = {"name": "motion", "samplers": played.samplers, "channels": played.channels}
        return {"animations": [animation]}


def _unit_normals(surface: Surface) -> Floats:
    """(n, 3) normals of length 1, as the format demands even where faces cancel."""
    N = surface.vertex_normals.copy()
    N[np.linalg.norm(N, axis=1) < 0.5] = [0.0, 0.0, 1.0]
    return N
