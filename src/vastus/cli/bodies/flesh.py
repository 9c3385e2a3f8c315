"""`vastus flesh`: flesh and skin around bones and muscles, at rest and in motion."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vastus.cli.console import BuildProgress, ProgressBar, duration, note
from vastus.cli.options import laws_option, load_laws, output_folder, output_option

if TYPE_CHECKING:
    from vastus.flesh.build import FleshSettings
    from vastus.flesh.frames import Progress
    from vastus.flesh.motion import Motion
    from vastus.flesh.parts import FleshParts
    from vastus.flesh.solver import FleshSolver


@click.command(short_help="Put flesh and skin around bones and muscles, and move them.")
@click.argument("source", type=click.Path(path_type=Path))
@output_option("Folder to write; the default is beside SOURCE. Finished frames in it are kept.")
@click.option(
    "--motion", type=click.Path(path_type=Path), metavar="FILE",
    help="NPZ file with times, bodies, poses, and maybe muscles and activation.",
)  # fmt: skip
@click.option(
    "--skin", type=click.Path(path_type=Path), metavar="FILE",
    help="Surface of the skin; without it one is made that covers all parts.",
)  # fmt: skip
@click.option(
    "--settings", type=click.Path(path_type=Path), metavar="FILE",
    help="YAML file of settings: spacing, levels, hold, gravity, skin, tissue.",
)  # fmt: skip
@click.option("--spacing", type=float, help="Spacing of the lattice [m]; 0.007 unless it is given.")
@click.option("--levels", type=int, help="How often eight tets become one; 2 unless it is given.")
@click.option(
    "--units", type=click.Choice(["m", "cm", "mm"]), default="m", show_default=True,
    help="Units of surface files.",
)  # fmt: skip
@click.option("--fps", default=30.0, show_default=True, help="Frames a second.")
@click.option("--tolerance", default=1e-4, show_default=True, help="Of the forces that balance.")
@click.option(
    "--processes", type=click.IntRange(1, 256), default=1, show_default=True,
    help="Processes that share the frames; they give the same bits.",
)  # fmt: skip
@click.option(
    "--to", type=click.Choice(["obj", "ply", "stl", "glb", "vtp"]),
    help="Write the skin of each frame as a surface too.",
)  # fmt: skip
@click.option("--no-pictures", is_flag=True, help="Draw no sheet and no movie.")
@laws_option
def flesh(
    source: Path,
    output: Path | None,
    motion: Path | None,
    skin: Path | None,
    settings: Path | None,
    spacing: float | None,
    levels: int | None,
    units: str,
    fps: float,
    tolerance: float,
    processes: int,
    to: str | None,
    no_pictures: bool,
    laws: tuple[Path, ...],
) -> None:
    """Put flesh and skin around the bones and muscles of SOURCE.

    SOURCE is a scene, a saved model, a result, a folder that `vastus upper-body` wrote, the name
    `upper-body`, or a folder with surfaces in `bones/` and `muscles/`. With a motion, of a result
    or of --motion, all frames are solved: bones move the flesh by springs, active fibres make it
    bulge. A run that was ended goes on where it was.
    """
    from vastus.errors import ModelError
    from vastus.flesh.motion import read_motion
    from vastus.flesh.sources import read_parts, read_settings, usual_skin
    from vastus.flesh.upper_body import on_volumes

    load_laws(laws)
    if not fps > 0 or not tolerance > 0:
        raise ModelError(f"--fps {fps:g} and --tolerance {tolerance:g} must both be positive")
    with output_folder(output, source, "flesh") as folder:
        chosen = read_settings(settings, usual_skin(source), spacing=spacing, levels=levels)
        given = read_motion(motion) if motion else None
        parts, own = read_parts(source, units=units, skin=skin)
    solver = _built(parts, chosen, folder, tolerance)
    moved = on_volumes(given) if given else own
    if moved is None:
        _draw_rest(solver, folder, no_pictures, to)
        return
    _frames(solver, moved.sampled(fps), folder, tolerance, processes)
    _show_frames(solver, folder, fps, no_pictures, to)


def _built(
    parts: FleshParts, settings: FleshSettings, folder: Path, tolerance: float
) -> FleshSolver:
    """The flesh of the folder, built unless it is there already."""
    from vastus.files.safe import make_folder
    from vastus.flesh.build import build_flesh
    from vastus.flesh.flesh_file import digest_of, load_flesh, made_of, save_flesh
    from vastus.flesh.frames import FLESH
    from vastus.flesh.solver import FleshSolver

    identity, path = digest_of(parts, settings), folder / FLESH
    if made_of(path) != identity:
        with BuildProgress() as progress:
            flesh = build_flesh(parts, settings, progress.watch)
        make_folder(folder)
        save_flesh(path, flesh, identity)
    flesh = load_flesh(path)
    click.echo(str(flesh))
    facts = flesh.facts
    click.echo(
        f"{1e3 * facts['volume']:.2f} l; {facts['fine_tets']:.0f} tets before coarsening, "
        f"{facts['coarsening']:.1f} times as many; {facts['copied_tets']:.0f} copies of cut tets, "
        f"{facts['samples_outside']:.0f} samples of bones outside"
    )
    return FleshSolver(flesh, tolerance=tolerance)


def _draw_rest(solver: FleshSolver, folder: Path, no_pictures: bool, to: str | None) -> None:
    from vastus.files.meshes import write_surface

    path = folder / f"skin.{to or 'obj'}"
    write_surface(path, solver.flesh.skin.surface)
    click.echo(f"skin: {path}")
    if not no_pictures:
        from vastus.pictures.flesh.flesh_pictures import skin_sheet

        skin_sheet(solver, [("at rest", solver.start)], folder / "skin.png")
        click.echo(f"picture: {folder / 'skin.png'}")


def _frames(
    solver: FleshSolver, motion: Motion, folder: Path, tolerance: float, processes: int
) -> None:
    """Solve the frames, and say how far that is."""
    from vastus.flesh.frames import solve_frames

    left = [name for name in solver.flesh.bodies if name not in motion.bodies]
    if left:
        note(f"bodies that the motion does not name stay at rest: {', '.join(left[:8])}")
    began, first = time.monotonic(), -1
    with ProgressBar(total=len(motion)) as bar:

        def watch(at: Progress) -> None:
            nonlocal first
            if at.done < 0:
                bar.tell(at.text)
                return
            first = at.done - 1 if first < 0 else first
            each = (time.monotonic() - began) / max(at.done - first, 1)
            rest = f", about {duration(each * (at.total - at.done))} left"
            bar.tell(at.text + (rest if at.done < at.total else ""), completed=at.done)

        solve_frames(folder, motion, tolerance=tolerance, processes=processes, watch=watch)


def _show_frames(
    solver: FleshSolver, folder: Path, fps: float, no_pictures: bool, to: str | None
) -> None:
    """Write the table, the surfaces and the pictures of solved frames."""
    from vastus.files.meshes import write_surface
    from vastus.files.safe import make_folder, write_text
    from vastus.flesh.frames import frames_of
    from vastus.geometry.surface import Surface

    rows, doubtful = [], 0
    for at, frame in frames_of(folder):
        assert frame.report is not None
        row = {"time_s": at, **frame.report.as_row()}
        row.pop("seconds")
        rows.append(row)
        doubtful += not frame.report.converged
    lines = [",".join(rows[0]), *(",".join(f"{v:.9g}" for v in row.values()) for row in rows)]
    write_text(folder / "table.csv", "\n".join(lines) + "\n")
    click.echo(f"table: {folder / 'table.csv'}")
    worst = min(row["least_volume"] for row in rows)
    change = max(abs(row["volume"] - 1) for row in rows)
    stretch = max(row["stretch"] for row in rows)
    click.echo(
        f"{len(rows)} frames; no tet below {worst:.2f} of its volume, all flesh within "
        f"{100 * change:.2f} %, bones off by {1e3 * stretch:.3f} mm on average at most"
    )
    if doubtful:
        note(f"warning: {doubtful} frames did not reach the tolerance; the table names them")
    if to:
        place = make_folder(folder / f"skin_{to}")
        for index, (_, frame) in enumerate(frames_of(folder)):
            surface = Surface(solver.skin(frame), solver.flesh.skin.surface.faces)
            write_surface(place / f"skin_{index:05d}.{to}", surface)
        click.echo(f"skins: {place}")
    if not no_pictures:
        from vastus.pictures.flesh.flesh_pictures import skin_movie, skin_sheet

        every = list(frames_of(folder))
        last = [(f"{at:.2f} s", frame) for at, frame in (every[0], every[-1])]
        skin_sheet(solver, last[-1:] if len(every) == 1 else last, folder / "sheet.png")
        click.echo(f"sheet: {folder / 'sheet.png'}")
        with ProgressBar(total=len(every)) as bar:
            skin_movie(
                solver,
                lambda: frames_of(folder),
                folder / "movie.mp4",
                fps,
                watch=lambda done: bar.tell("drawing the movie", completed=done),
            )
        click.echo(f"movie: {folder / 'movie.mp4'}")
