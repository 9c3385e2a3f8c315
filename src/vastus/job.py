"""All that a run needs, made of a scene: model, inputs and solver, and what looks wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from vastus.cache import Store
from vastus.checks import Finding, Severity, check
from vastus.checks.unbuilt import about_surfaces, unbuilt
from vastus.errors import ModelError
from vastus.io.model_file import digest
from vastus.io.provenance import Provenance
from vastus.model import Model
from vastus.modelling.anatomy.steps import Log
from vastus.modelling.anatomy.surfaces_model import Anatomy, metric_shells
from vastus.modelling.build import USUAL, built
from vastus.motion import Inputs
from vastus.scene import Scene
from vastus.scene.drive import BoneModel, SolverKind
from vastus.skeleton.affine import Affine
from vastus.skeleton.rigid import Rigid
from vastus.solvers.emu import Emu
from vastus.solvers.newton import Newton
from vastus.solvers.problem import Reduction
from vastus.solvers.quasi_newton import QuasiNewton
from vastus.timeloop import Solver

Watch = Callable[[str], None]  # is told the step that is begun


@dataclass(frozen=True, eq=False)
class Job:
    """All that a run needs, validated; nothing is written yet."""

    scene: Scene
    model: Model
    inputs: list[Inputs]
    solver: Solver
    findings: list[Finding]
    anatomy: Anatomy | None = None  # how the model came about, if from surfaces

    @property
    def provenance(self) -> Provenance:
        """What the result will say about where it comes from."""
        return Provenance(self.solver, self.scene.digest, self.scene.description.seed)

    @property
    def referee(self) -> Newton:
        """The solver that may judge the run, with bones of the same kind."""
        return Newton(reduction=Reduction(bones_of(self.scene)))


def _unwatched(step: str) -> None:
    """Nobody is told of the steps."""


def prepare(scene: Scene, *, store: Store | None = USUAL, watch: Watch = _unwatched) -> Job:
    """Build a scene and look for what is wrong in it; surfaces are looked at before they are built.

    `store` and `watch` are as in `built`.
    """
    before = _before(scene, store, watch)
    made = built(scene, store=store, watch=watch)
    if made.anatomy:
        watch("looking at the model")
    findings = before + _kept(store, digest(made.model), lambda: check(made.model))
    inputs = scene.inputs(made.model)
    return Job(scene, made.model, inputs, solver_of(scene), findings, made.anatomy)


def _before(scene: Scene, store: Store | None, watch: Watch) -> list[Finding]:
    """What looks wrong in the surfaces of a scene; an error is raised, not returned."""
    if not isinstance(scene.base, dict):
        return []
    findings = about_surfaces(scene, metric_shells(scene, scene.base), Log(store, watch))
    _refuse_errors(scene, findings)
    return findings


def findings_of(
    scene: Scene, *, store: Store | None = USUAL, watch: Watch = _unwatched
) -> list[Finding]:
    """All that looks wrong in a scene before anything is meshed, errors first.

    Only a scene with surfaces has such findings; others are looked at once they are built.
    """
    if not isinstance(scene.base, dict):
        return []
    return unbuilt(scene, scene.base, Log(store, watch))


def _kept(store: Store | None, key: str, look: Callable[[], list[Finding]]) -> list[Finding]:
    """What `look` finds, kept under a key."""
    return look() if store is None else store.kept(_looked, key, look=look)[0]


def _looked(key: str, *, look: Callable[[], list[Finding]]) -> list[Finding]:
    return look()


def require_sound(job: Job) -> None:
    """Refuse a job with an error among its findings."""
    _refuse_errors(job.scene, job.findings)


def _refuse_errors(scene: Scene, findings: list[Finding]) -> None:
    errors = [f for f in findings if f.severity is Severity.ERROR]
    if errors:
        with scene.places.blame():
            raise ModelError(str(errors[0]))


def solver_of(scene: Scene) -> Solver:
    """The solver that a scene asks for."""
    said, bones = scene.description.solver, bones_of(scene)
    if said.kind is SolverKind.EMU:
        return Emu(bones=bones, **said.options)  # type: ignore[arg-type]
    kind = {SolverKind.NEWTON: Newton, SolverKind.QUASI_NEWTON: QuasiNewton}[said.kind]
    return kind(reduction=Reduction(bones), **said.options)


def bones_of(scene: Scene) -> Rigid | Affine:
    """How the bones of a scene may move."""
    return {BoneModel.RIGID: Rigid, BoneModel.AFFINE: Affine}[scene.description.solver.bones]()
