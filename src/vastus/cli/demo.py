"""`vastus demo`: an elbow, a model of the gallery or a body in motion, judged by some figures."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

import click
import numpy as np

from vastus.cli import loading
from vastus.cli.console import BuildProgress, plain_table, stdout
from vastus.cli.failures import SOLVE_FAILED, say_error
from vastus.cli.options import laws_option, laws_words, load_laws, output_option
from vastus.cli.run import resume_command, show_files, show_table, solve
from vastus.errors import ModelError, known

if TYPE_CHECKING:
    from vastus.model import Model
    from vastus.modelling.gallery.members import Member
    from vastus.numerics.types import Floats

OTHERS = {
    "elbow": "a biceps bends an elbow; with --arm an anatomical one",
    "juggling": "70 muscles juggle three balls",
    "upper-body": "814 muscles lift dumbbells in a body with flesh and skin",
}
ELBOW_TETS = 12_000
LIFTED = 0.02  # [m] above its place, from which on a body is held and does not lie
PACES = "demos.json"  # in the cache: seconds a frame of demos
SCENE = """\
# A biceps bends an elbow: its activation rises from 0 to 1 in a second.
# Change what you like, check it with `vastus check`, and repeat it with `vastus run`.
vastus: 1
name: {name}
model: {{{model}}}
{materials}inputs:
  seconds: 1
  fps: 10
  activation:
    biceps: 1
{others}"""


def _checked_tets(ctx: click.Context, parameter: click.Parameter, tets: int | None) -> int | None:
    from vastus.modelling.shapes.assembly import check_tets

    try:
        if tets is not None:
            check_tets(tets)
    except ModelError as error:
        raise ModelError(f"--tets: {error}") from None
    return tets


@click.command(short_help="Bend an elbow or run a model of the gallery; see whether all is well.")
@click.argument("what", default="elbow", metavar="[NAME]")
@click.option("--list", "listed", is_flag=True, help="List what there is, and end.")
@output_option("Folder of the result; a former result in it is replaced.", default="vastus-demo")
@click.option(
    "--tets",
    type=int,
    callback=_checked_tets,
    help="About how many tets to use; 12,000 for the elbow, and as in the list, unless given.",
)
@click.option(
    "--arm",
    is_flag=True,
    help="Bend the anatomical arm instead, which takes a minute to build; needs the extra mesh.",
)
@click.option("--muscle-law", metavar="NAME", help="Another law for muscle, such as your own.")
@click.option("--no-cache", is_flag=True, help="Build the arm anew, and keep nothing of it.")
@click.option("--no-pictures", is_flag=True, help="Draw no contact sheet, plot or movie.")
@laws_option
@click.pass_context
def demo(
    ctx: click.Context,
    what: str,
    listed: bool,
    output: Path,
    tets: int | None,
    arm: bool,
    muscle_law: str | None,
    no_cache: bool,
    no_pictures: bool,
    laws: tuple[Path, ...],
) -> None:
    """Simulate a biceps that bends an elbow, or another NAME that `--list` shows.

    It writes frames for ParaView, a table, pictures, and `scene.yaml`, from which `vastus run`
    repeats it. `juggling` is the three-ball cascade of `vastus juggle`, whose options are more.
    `upper-body` lets 814 muscles lift dumbbells while the body breathes, as `vastus upper-body`
    does, puts flesh and skin around it as `vastus flesh` does, and takes minutes.
    """
    from vastus.modelling.gallery.members import MEMBERS

    if listed:
        _list(MEMBERS)
        return
    if what not in (*OTHERS, *MEMBERS):
        raise known("demo", what, (*OTHERS, *MEMBERS))
    if what == "juggling":
        from vastus.cli.bodies.juggle import juggle

        ctx.invoke(juggle, output=output, no_pictures=no_pictures)
        return
    if what == "upper-body":
        from vastus.cli.bodies.upper_body_demo import upper_body_demo

        upper_body_demo(ctx, output, no_pictures=no_pictures)
        return
    load_laws(laws)
    text = (
        MEMBERS[what].sized(tets)
        if what in MEMBERS
        else _scene(tets or ELBOW_TETS, muscle_law, arm=arm)
    )
    judged = sound_figures if what in MEMBERS else figures_of
    _perform(text, output, judged, laws, no_cache=no_cache, no_pictures=no_pictures)
    if tets is None:  # the list tells of the sizes in it
        remember(what, output)


def _perform(
    text: str,
    output: Path,
    judged: Callable[[Model, Path], list[Figure]],
    laws: tuple[Path, ...],
    *,
    no_cache: bool,
    no_pictures: bool,
) -> None:
    """Build, solve and show the scene of a text, and judge it."""
    from vastus.cache import Store
    from vastus.files.safe import make_folder, require_writable, write_text

    with loading():
        from vastus.job import prepare, require_sound
    from vastus.measure.architecture import architectures
    from vastus.scene.read import scene_of

    require_writable(output)
    path = output / "scene.yaml"
    scene = scene_of(text.encode(), path)
    with BuildProgress() as progress:
        job = prepare(scene, store=None if no_cache else Store(), watch=progress.watch)
    require_sound(job)
    make_folder(output)
    write_text(path, text)
    solve(job, output, resume=False, again=resume_command(path, output, laws))
    show_table(output)
    found = judged(job.model, output)
    print_figures(found)
    for line in architectures(job.model):
        click.echo(line)
    show_files(job, output, pictures=not no_pictures)
    again = shlex.join(["vastus", "run", str(path), *laws_words(laws)])
    click.echo(f"Change {path} and run it again: {again}")
    bad = [figure for figure in found if not figure.good]
    if bad:
        say_error("; ".join(" ".join(figure.row()[:3]) for figure in bad))
        raise click.exceptions.Exit(SOLVE_FAILED)


def _list(members: Mapping[str, Member]) -> None:
    """Print what there is, with the seconds a frame that a demo took last on this machine."""
    seen = remembered()
    out = plain_table("name", "tets", "bones", "muscles", "s/frame here", "")
    for name, line in OTHERS.items():
        out.add_row(name, "", "", "", _pace(seen, name), line)
    for name, member in members.items():
        size = member.size
        numbers = f"{size.tets:,}", str(size.bones), str(size.muscles)
        out.add_row(name, *numbers, _pace(seen, name), member.line)
    stdout().print(out)
    click.echo("\nRun one of them with: vastus demo NAME")


def _pace(seen: Mapping[str, float], name: str) -> str:
    return f"{seen[name]:.2g}" if name in seen else "-"


def remembered() -> dict[str, float]:
    """The seconds a frame that demos took last on this machine, by name."""
    from vastus.cache import cache_root

    try:
        found = json.loads((cache_root() / PACES).read_text(encoding="utf-8"))
        return {str(name): float(pace) for name, pace in found.items()}
    except (OSError, ValueError, AttributeError, TypeError):
        return {}


def remember(name: str, folder: Path) -> None:
    """Keep the seconds a frame of a result, for the list; a cache that is read-only keeps none."""
    from vastus.cache import cache_root
    from vastus.results.result import read_result

    pace = float(np.mean(read_result(folder).table["seconds"]))
    with suppress(OSError):
        cache_root().mkdir(parents=True, exist_ok=True)
        text = json.dumps(remembered() | {name: pace})
        (cache_root() / PACES).write_text(text, encoding="utf-8")


def _scene(tets: int, muscle_law: str | None, *, arm: bool) -> str:
    """The demo's scene; another law has the usual one's parameters where their names agree."""
    materials = ""
    if muscle_law is not None:
        from vastus.materials.base import find_law
        from vastus.modelling.tissues import Materials

        usual = Materials().muscle[0]
        names = [f.name for f in fields(find_law(muscle_law))]  # type: ignore[arg-type]
        values = "".join(f", {n}: {getattr(usual, n)!r}" for n in names if hasattr(usual, n))
        # Averages need a law that knows its bulk modulus: all laws are tried alike.
        materials = f"volume: tet\nmaterials:\n  muscle: {{law: {muscle_law}{values}}}\n"
    if arm:
        return SCENE.format(
            name="arm", model="shape: arm", materials=materials, others="    brachialis: 1\n"
        )
    return SCENE.format(
        name="elbow", model=f"shape: elbow, tets: {tets}", materials=materials, others=""
    )


@dataclass(frozen=True)
class Figure:
    """A number with the bound it should keep, and how they are written."""

    what: str
    value: float
    bound: float
    form: str
    above: bool = False

    @property
    def good(self) -> bool:
        """Whether the bound is kept."""
        return self.value > self.bound if self.above else self.value < self.bound

    def row(self) -> tuple[str, str, str, str]:
        """The cells of a table."""
        bound = f"wanted {'above' if self.above else 'below'} {self.form.format(self.bound)}"
        verdict = "good" if self.good else "NOT GOOD"
        return self.what, self.form.format(self.value), bound, verdict


def figures(model: Model, table: Mapping[str, Floats]) -> list[Figure]:
    """What a bent elbow is judged by: flexion from rest at the end, the rest over all frames."""
    joint = model.joints[0].name
    length = min(_length(model, bone) for bone in model.joints[0].bones)
    volume = max(float(np.abs(table[f"{m.name}_volume_change"]).max()) for m in model.muscles)
    worst = {name: float(np.max(column)) for name, column in table.items()}
    return [
        Figure(f"{joint} flexion", table[f"{joint}_angle_deg"][-1], 40.0, "{:.1f} deg", True),
        Figure("gap over bone length", worst[f"{joint}_gap_m"] / length, 1e-6, "{:.0e}"),
        Figure("strain of bones", worst["bone_strain"], 1e-6, "{:.0e}"),
        Figure("volume change of muscle", volume, 0.05, "{:.2%}"),
        Figure("inverted tets", worst["inverted"], 1.0, "{:.0f}"),
    ]


def figures_of(model: Model, folder: Path) -> list[Figure]:
    """The figures of a result folder."""
    from vastus.results.result import read_result

    return figures(model, read_result(folder).table)


def sound_figures(model: Model, folder: Path) -> list[Figure]:
    """What any model is judged by: nothing inverted, joints closed, nothing deep in another."""
    from vastus.results.result import read_result
    from vastus.results.soundness import Soundness

    result = read_result(folder)
    found = Soundness.of(result)
    figures = [
        Figure("inverted tets", float(found.inverted), 1.0, "{:.0f}"),
        Figure("bodies in each other", 1e3 * found.depth, 1.0, "{:.2f} mm"),
    ]
    if found.gap is not None:
        figures.append(Figure("gap of joints", 1e3 * found.gap, 1e-3, "{:.0e} mm"))
    return figures + held_figures(model, result.table)


def held_figures(model: Model, table: Mapping[str, Floats]) -> list[Figure]:
    """What a grasp is judged by: balance of forces and friction where what is lifted is stillest.

    A grasp holds if contact bears the weight, and no more friction is needed than there is.
    """
    found, up = [], -model.gravity / max(float(np.linalg.norm(model.gravity)), 1e-12)
    for name in [name.removesuffix("_lift_m") for name in table if name.endswith("_lift_m")]:
        high = np.flatnonzero(table[f"{name}_lift_m"] > LIFTED)
        if not len(high) or f"{name}_held_x_N" not in table:
            continue
        speed = table[f"{name}_speed_m_s"]
        at = high[np.argmin(speed[high])]
        force = np.array([table[f"{name}_held_{axis}_N"][at] for axis in "xyz"])
        weight = table[f"{name}_weight_N"][at]
        missing = float(np.linalg.norm(force - weight * up)) / weight
        used = table[f"{name}_friction_used"][at]
        found += [
            Figure(f"speed of {name}, held", 1e3 * speed[at], 1.0, "{:.2f} mm/s"),
            Figure(f"its weight not borne at {table['time_s'][at]:.2f} s", missing, 0.01, "{:.2%}"),
            Figure("friction it needs of what there is", used, 1.0, "{:.0%}"),
        ]
    return found


def print_figures(found: Sequence[Figure]) -> None:
    """Print figures with their bounds."""
    out = plain_table()
    for figure in found:
        out.add_row(*figure.row())
    stdout().print(out)


def _length(model: Model, bone: str) -> float:
    X = model.mesh.X[model.bone_of_vertex == model.bone(bone)]
    return float(np.ptp(X, axis=0).max())
