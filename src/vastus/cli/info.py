"""`vastus info`: facts about this installation, a scene, model or result; `vastus laws`."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from dataclasses import fields
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click
import numpy as np

import vastus
from vastus.cli.options import laws_option, load_laws
from vastus.errors import FileError

if TYPE_CHECKING:
    from vastus.actuators import Cable, Cavity
    from vastus.materials.base import Law
    from vastus.model import Model

Facts = list[tuple[str, str]]  # pairs of a name and a text
EXTRAS: Mapping[str, tuple[str, ...]] = {
    "viz": ("pyvista", "imageio_ffmpeg"),
    "bench": ("felupe", "skfem", "ngsolve"),
    "mesh": ("wildmeshing", "igl"),
    "usd": ("pxr",),
    "contact": ("ipctk",),
    "alembic": ("alembic3d",),
    "tables": ("pyarrow",),
    "app": ("viser",),
    "skeleton": ("mujoco",),
    "cholmod": ("cvxopt",),
}
LICENCES = {
    "pardiso": "vastus is MIT; its factorisation is Intel MKL (Intel Simplified Software License)",
    "cholmod": "vastus is MIT; its factorisation is CHOLMOD, by cvxopt (both GPL)",
    "superlu": "vastus is MIT; its factorisation is SuperLU (BSD)",
}


@click.command(short_help="Show facts about a scene, model, result or vastus.")
@click.argument("path", required=False, type=click.Path(path_type=Path))
@laws_option
def info(path: Path | None, laws: tuple[Path, ...]) -> None:
    """Show facts about a scene, a model file or a result folder; without PATH, about vastus."""
    load_laws(laws)
    pairs = installation() if path is None else of_path(path)
    width = max(len(name) for name, _ in pairs)
    for name, value in pairs:
        click.echo(f"{name:<{width}}  {value}")


@click.command(short_help="List material laws and published curves, and draw them.")
@click.option(
    "--plot",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Draw the force-length curves to a PNG file.",
)
@laws_option
def laws(plot: Path | None, laws: tuple[Path, ...]) -> None:
    """List the laws of tissue, and the curves of muscle and tendon by name with their sources."""
    from vastus.materials.base import LAWS, find_law
    from vastus.materials.fibres.published import Kind, published

    find_law("stable_neo_hookean")
    load_laws(laws)
    for name, law in sorted(LAWS.items()):
        click.echo(f"{name:<22}{(law.__doc__ or '').strip().splitlines()[0]}")
    for kind in Kind:
        for name, one in published(kind).items():
            click.echo(f"{kind.value + ' curve':<16}{name:<10}{one.source}")
    if plot is not None:
        from vastus.pictures.law_curves import draw_curves

        draw_curves(plot)
        click.echo(f"drawn: {plot}")


def installation() -> Facts:
    """What is installed here, and what the solver will use."""
    from vastus.materials.base import LAWS, find_law
    from vastus.numerics.factor import best_factor
    from vastus.numerics.jit import cache_folder

    find_law("stable_neo_hookean")
    extras = [
        f"{name} {'yes' if all(find_spec(p) for p in packages) else 'no'}"
        for name, packages in EXTRAS.items()
    ]
    return [
        ("vastus", vastus.__version__),
        ("python", f"{platform.python_version()} on {platform.platform()}"),
        ("factorisation", best_factor()),
        ("threads", str(os.cpu_count())),
        ("extras", ", ".join(extras)),
        ("laws", ", ".join(sorted(LAWS))),
        ("kernel cache", str(cache_folder())),
        ("licences", LICENCES[best_factor()]),
    ]


def of_path(path: Path) -> Facts:
    """What a scene, a model file or a result folder holds."""
    if path.is_dir():
        return _of_result(path)
    if path.suffix == ".npz":
        return _of_model(vastus.load(path))
    if path.suffix in (".yaml", ".yml"):
        return _of_scene(path)
    given = f"has the suffix '{path.suffix}'" if path.exists() else "does not exist"
    raise FileError(f"'{path}' {given}; give a scene (.yaml), a model (.npz) or a result folder")


def _of_scene(path: Path) -> Facts:
    from vastus.modelling.fibres.authored_solids import solid_reports

    scene = vastus.read(path)
    model = vastus.build(scene)
    frames = scene.inputs(model)
    return [
        ("scene", scene.name),
        ("digest", scene.digest[:16]),
        ("frames", f"{len(frames)} over {frames[-1].time:g} s"),
        *_of_model(model),
        *(
            ("solids", str(report).removeprefix("solids of ").replace("'", ""))
            for report in solid_reports(scene, model)
        ),
    ]


def _of_result(path: Path) -> Facts:
    result = vastus.read_result(path)
    record, table = result.provenance, result.table
    last = [(name, f"{column[-1]:.6g}") for name, column in table.items() if len(column)]
    return [
        ("status", f"{record.get('status')} {record.get('sentence') or ''}".strip()),
        ("made by", f"vastus {record.get('vastus')}, {record.get('started')}"),
        ("frames", str(len(result.times))),
        *_of_model(result.model),
        *((f"last {name}", value) for name, value in last[2:]),
    ]


def _of_model(model: Model) -> Facts:
    from vastus.measure.architecture import architectures

    size = " x ".join(f"{s:.3g}" for s in np.ptp(model.mesh.X, axis=0))
    return [
        ("model", model.name),
        ("mesh", f"{model.mesh.n_tets} tets, {model.mesh.n_vertices} vertices, {size} m"),
        *(("region", _region(model, i)) for i in range(len(model.regions))),
        *(
            ("muscle", str(a).removeprefix("muscle ").replace("'", ""))
            for a in architectures(model)
        ),
        *(("bone", f"{b.name}: {b.drive.value}") for b in model.bones),
        *(
            ("joint", f"{j.name}: {j.kind} of {' and '.join(j.bones)}{_after(j.resistance)}")
            for j in model.joints
        ),
        *(("pin", f"{p.name}: {len(p.vertices)} vertices") for p in model.pins),
        *(("load", f"{load.name}: {np.linalg.norm(load.force):.3g} N") for load in model.loads),
        *(("cavity", _cavity(model, cavity)) for cavity in model.cavities),
        *(("cable", _cable(model, cable)) for cable in model.cables),
    ]


def _cavity(model: Model, cavity: Cavity) -> str:
    from vastus.energies.actuators.cavities import enclosed

    litres = 1e3 * enclosed(model.mesh.X, cavity.faces)
    kind = f"sealed gas, {cavity.ambient:.6g} Pa around it" if cavity.gas else "held"
    return f"{cavity.name}: {litres:.3g} l, {cavity.pressure:g} Pa, {kind}"


def _cable(model: Model, cable: Cable) -> str:
    from vastus.energies.actuators.cables import Line

    length = f"{len(cable.points)} points, {Line(cable, model.mesh.X).length:.3g} m"
    pull = f"{cable.tension:g} N"
    if cable.stiffness is not None:
        pull = f"{cable.stiffness:g} N/m, shorter by {cable.shortening:g} m"
    friction = f"friction {cable.friction:g}" if cable.friction else ""
    return f"{cable.name}: {length}, {pull}{_after(friction)}"


def _after(words: str) -> str:
    return f", {words}" if words else ""


def _law(law: Law) -> str:
    from vastus.materials.base import in_words

    values = " ".join(f"{f.name} {in_words(getattr(law, f.name))}" for f in fields(law))  # type: ignore[arg-type]
    return f"{law.name} ({values})" if values else law.name


def _region(model: Model, index: int) -> str:
    region = model.regions[index]
    tets = model.region == index
    grams = model.mesh.volumes[tets].sum() * region.density * 1000
    material = "".join(f", {_law(law)}" for law in model.laws(index))
    return f"{region.name}: {region.tissue.value}, {tets.sum()} tets, {grams:.3g} g{material}"
