"""The scene file as a whole."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from vastus.model import Volume
from vastus.scene.anatomy import (
    BonePart,
    JointPart,
    Material,
    MeshFile,
    MusclePart,
    RegionPart,
    Source,
)
from vastus.scene.base import Section, Vector, Whole, Word, exactly_one
from vastus.scene.drive import Output, SolverKind, SolverPart, Timeline
from vastus.scene.selection import LoadPart, PinPart
from vastus.scene.surfaces import Surfaces


class Description(Section):
    """Everything an author may write; lengths in metres, forces in newtons, stresses in pascal."""

    vastus: Literal[1]
    name: Word = "scene"
    model: Source | None = None
    mesh: MeshFile | None = None
    surfaces: Surfaces | None = None
    materials: dict[str, Material] = Field(default_factory=dict)
    regions: dict[str, RegionPart] = Field(default_factory=dict)
    muscles: dict[str, MusclePart] = Field(default_factory=dict)
    bones: dict[str, BonePart] = Field(default_factory=dict)
    joints: dict[str, JointPart | None] = Field(default_factory=dict)
    pins: dict[str, PinPart] = Field(default_factory=dict)
    loads: dict[str, LoadPart] = Field(default_factory=dict)
    gravity: Vector | None = None
    volume: Volume | None = None
    inputs: Timeline = Timeline()
    solver: SolverPart = SolverPart()
    output: Output = Output()
    seed: Whole = 0  # noted with the result

    @model_validator(mode="after")
    def _one_origin(self) -> Description:
        exactly_one(self, "model", "mesh", "surfaces")
        if self.mesh is not None and not self.regions:
            raise ValueError("a scene with a mesh needs 'regions', to say what each label is")
        return self

    @model_validator(mode="after")
    def _volume_fits_solver(self) -> Description:
        if self.volume and self.volume.averaged and self.solver.kind is SolverKind.EMU:
            raise ValueError(
                "'volume: averaged' couples tets, which the solver emu cannot; "
                "choose kind: newton or quasi_newton, or volume: tet"
            )
        return self
