"""`vastus demo`: a biceps bends an elbow."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import click

from vastus.cli.failures import SOLVE_FAILED, say_error
from vastus.cli.laws import laws_option, load_laws
from vastus.cli.output import output_option
from vastus.errors import ModelError

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


def _checked_tets(ctx: click.Context, parameter: click.Parameter, tets: int) -> int:
    from vastus.modelling.resolution import check_tets

    try:
        check_tets(tets)
    except ModelError as error:
        raise ModelError(f"--tets: {error}") from None
    return tets


@click.command()
@output_option("Folder of the result; a former result in it is replaced.", default="vastus-demo")
@click.option(
    "--tets",
    default=12_000,
    show_default=True,
    callback=_checked_tets,
    help="About how many tets to use.",
)
@click.option(
    "--arm",
    is_flag=True,
    help="Bend the anatomical arm instead, which takes a minute to build; needs the extra mesh.",
)
@click.option("--muscle-law", metavar="NAME", help="Another law for muscle, such as your own.")
@click.option("--no-pictures", is_flag=True, help="Draw no contact sheet, plot or movie.")
@laws_option
def demo(
    output: Path,
    tets: int,
    arm: bool,
    muscle_law: str | None,
    no_pictures: bool,
    laws: tuple[Path, ...],
) -> None:
    """Simulate a biceps that bends an elbow, and show it.

    Writes frames for ParaView, a table, pictures, and `scene.yaml`, from which `vastus run` repeats
    the demo.
    """
    from vastus.cli.figures import figures_of, print_figures
    from vastus.cli.session import again, show_files, show_table, simulated
    from vastus.io.files import make_folder, require_writable, write_text
    from vastus.io.scene import scene_of
    from vastus.job import prepare, require_sound

    require_writable(output)
    load_laws(laws)
    text, path = _scene(tets, muscle_law, arm=arm), output / "scene.yaml"
    if arm:
        click.echo("building the arm, for a minute or two if it is the first time ...", err=True)
    job = prepare(scene_of(text.encode(), path))
    require_sound(job)
    make_folder(output)
    write_text(path, text)
    simulated(job, output, resume=False, again=again(path, output, laws))
    show_table(output)
    found = figures_of(job.model, output)
    print_figures(found)
    show_files(job, output, pictures=not no_pictures)
    click.echo(f"Change {path} and run it again: vastus run {path} -o another-folder")
    bad = [figure for figure in found if not figure.good]
    if bad:
        say_error("; ".join(" ".join(figure.row()[:3]) for figure in bad))
        raise click.exceptions.Exit(SOLVE_FAILED)


def _scene(tets: int, muscle_law: str | None, *, arm: bool) -> str:
    """The demo's scene; another law has the usual one's parameters where their names agree."""
    materials = ""
    if muscle_law is not None:
        from vastus.materials.base import find_law
        from vastus.modelling.tissues import Materials

        usual = Materials().muscle[0]
        names = [f.name for f in fields(find_law(muscle_law))]  # type: ignore[arg-type]
        given = "".join(f", {n}: {getattr(usual, n)!r}" for n in names if hasattr(usual, n))
        materials = f"materials:\n  muscle: {{law: {muscle_law}{given}}}\n"
    if arm:
        return SCENE.format(
            name="arm", model="shape: arm", materials=materials, others="    brachialis: 1\n"
        )
    return SCENE.format(
        name="elbow", model=f"shape: elbow, tets: {tets}", materials=materials, others=""
    )
