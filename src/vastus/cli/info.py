"""`vastus info`: facts about this installation, or about a scene, model or result."""

from __future__ import annotations

from pathlib import Path

import click

from vastus.cli.laws import laws_option, load_laws


@click.command(short_help="Show facts about a scene, model, result or vastus.")
@click.argument("path", required=False, type=click.Path(path_type=Path))
@laws_option
def info(path: Path | None, laws: tuple[Path, ...]) -> None:
    """Show facts about a scene, a model file or a result folder; without PATH, about vastus."""
    from vastus.cli import facts

    load_laws(laws)
    pairs = facts.installation() if path is None else facts.of_path(path)
    width = max(len(name) for name, _ in pairs)
    for name, value in pairs:
        click.echo(f"{name:<{width}}  {value}")
