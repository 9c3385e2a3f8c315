"""`vastus bench`: solvers side by side on this machine."""

from __future__ import annotations

from pathlib import Path

import click

from vastus.cli.output import output_option
from vastus.errors import ModelError

LONGEST = 100_000  # [s]


def _words(ctx: click.Context, parameter: click.Parameter, text: str | None) -> tuple[str, ...]:
    return tuple(word.strip() for word in (text or "").split(",") if word.strip())


def _numbers(ctx: click.Context, parameter: click.Parameter, text: str | None) -> tuple[int, ...]:
    """Whole numbers; 12k is 12000."""
    found = []
    for word in _words(ctx, parameter, text):
        digits = word.lower().removesuffix("k")
        if not digits.isdecimal() or int(digits) == 0:
            raise ModelError(f"--{parameter.name}: '{word}' is not a number such as 2 or 12k")
        found.append(int(digits) * (1000 if word.lower().endswith("k") else 1))
    return tuple(found)


def _seconds(ctx: click.Context, parameter: click.Parameter, given: float | None) -> float | None:
    # A process cannot be waited for longer than some days.
    if given is not None and not 0 < given <= LONGEST:
        raise ModelError(f"--{parameter.name}: {given:g} is not between 0 and {LONGEST} seconds")
    return given


@click.command(short_help="Measure every solver against the reference, here.")
@output_option("Folder of the figures.", default="vastus-bench")
@click.option("--quick", is_flag=True, help="Small sizes only: a minute or two.")
@click.option("--full", is_flag=True, help="Every solver, up to 600k tets, two threads: hours.")
@click.option("--cases", callback=_words, help="Some of fusiform, elbow, contrast.")
@click.option("--sizes", callback=_numbers, help="Tets, such as 2k,12k.")
@click.option("--solvers", callback=_words, help="Some solvers, such as newton,quasi-newton.")
@click.option("--threads", callback=_numbers, help="Numbers of threads, such as 1,2.")
@click.option(
    "--limit",
    type=float,
    callback=_seconds,
    help="Seconds that a solver has for one run.",
)
@click.option("--peers/--no-peers", default=True, help="Compare with other packages.")
@click.option("--resume", is_flag=True, help="Measure only what the folder does not hold yet.")
@click.option("--overwrite", is_flag=True, help="Replace the figures that the folder holds.")
def bench(
    output: Path,
    quick: bool,
    full: bool,
    cases: tuple[str, ...],
    sizes: tuple[int, ...],
    solvers: tuple[str, ...],
    threads: tuple[int, ...],
    limit: float | None,
    peers: bool,
    resume: bool,
    overwrite: bool,
) -> None:
    """Measure time, iterations and memory of every solver to 1 % and 0.1 % error.

    Each run has a process of its own. Writes bench.json, tables and plots. Without --quick or
    --full it takes about eight minutes; Ctrl-C keeps what is finished.
    """
    from vastus.bench.plan import FULL, QUICK, USUAL, Wishes, fitted
    from vastus.bench.session import begin_in
    from vastus.cli.bench_display import show
    from vastus.io.files import make_folder
    from vastus.io.lock import Lock

    if quick and full:
        raise ModelError("--quick and --full exclude each other; give only one")
    if resume and overwrite:
        raise ModelError("--resume goes on and --overwrite replaces; give only one")
    plan = QUICK if quick else FULL if full else USUAL
    plan = fitted(plan, Wishes(cases, sizes, solvers, threads, limit, peers))
    lock = Lock(make_folder(output))
    try:
        begin_in(output, resume=resume, overwrite=overwrite)
        show(plan.jobs(output), output)
    finally:
        lock.release()
