"""`vastus disorder`: a body examined before and after disorders of its muscles."""

from __future__ import annotations

from collections.abc import Sequence
from math import radians
from pathlib import Path
from typing import TYPE_CHECKING

import click
import numpy as np

from vastus.cli.console import note, plain_table, stdout
from vastus.cli.options import output_folder, output_option
from vastus.errors import FileError, MissingExtra, ModelError, known

if TYPE_CHECKING:
    from vastus.bodies.body import Body
    from vastus.control.disorders.comparison import Comparison
    from vastus.control.disorders.examination import Weight
    from vastus.numerics.types import Floats

MISSED = 0.01  # [N m] a torque that muscles cannot give and that is told


@click.command(short_help="Examine a body before and after disorders of its muscles.")
@click.argument("body", type=click.Path(path_type=Path))
@click.option(
    "--disorders",
    "file",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="YAML list of atrophy, weakness, paralysis, contracture, operations, ...",
)
@click.option(
    "--joint",
    "joints",
    multiple=True,
    metavar="NAME",
    help="The hinge that is examined; the only one unless given; repeatable.",
)
@click.option(
    "--pose",
    multiple=True,
    metavar="JOINT=DEG",
    help="Angle of a joint in which strength and holding are told; repeatable.",
)
@click.option(
    "--hold", type=click.FloatRange(min=0), metavar="KG", help="A weight to hold in the hand."
)
@click.option("--hand", metavar="NAME", help="Site or body that is the hand; a palm of the file.")
@click.option(
    "--at",
    "point",
    nargs=3,
    type=float,
    metavar="X Y Z",
    help="Where the hand holds the weight [m], in its own frame; the palm unless given.",
)
@click.option("--no-gravity", is_flag=True, help="The limb without its own weight.")
@output_option("Folder of the findings; BODY_disorder beside the body unless given.")
@click.option("--overwrite", is_flag=True, help="Replace the findings in the folder.")
@click.option("--no-plot", is_flag=True, help="Draw nothing.")
def disorder(
    body: Path,
    file: Path,
    joints: tuple[str, ...],
    pose: tuple[str, ...],
    hold: float | None,
    hand: str | None,
    point: tuple[float, float, float] | None,
    no_gravity: bool,
    output: Path | None,
    overwrite: bool,
    no_plot: bool,
) -> None:
    """Examine the joints of BODY, an MJCF file of line muscles, before and after disorders.

    Told are the angle of the relaxed joint, its range, the strength and arms of muscles, and the
    activations that hold a weight. The folder gets findings.csv, curves and a plot of each joint,
    the disorders, and provenance.json.
    """
    from vastus.control.disorders.comparison import compare
    from vastus.control.disorders.disorder_file import read_patient
    from vastus.report.findings import TABLE, write_findings

    read, palmed = _read(body, hand)
    patient = read_patient(file, read)
    examined = _examined(read, joints)
    angles = _pose(read, pose)
    weight = _weight(read, hold, point, palmed=palmed)
    with output_folder(output, body, "disorder") as folder:
        if (folder / TABLE).exists() and not overwrite:
            raise FileError(f"'{folder}' holds findings; --overwrite replaces them")
    for number, each in enumerate(patient.disorders, start=1):
        note(f"{number}. {each}")
    found = compare(patient, examined, pose=angles, weight=weight, gravity=not no_gravity)
    _print(found)
    write_findings(found, folder, patient, body=body, changes=file)
    if not no_plot:
        _draw(found, folder)
    click.echo(f"findings: {folder / TABLE}")


def _read(path: Path, hand: str | None) -> tuple[Body, bool]:
    """The body, and whether it has a palm; without one its outermost part is the hand."""
    from vastus.bodies.read import read_body
    from vastus.modelling.lines.mjcf import open_mjcf

    if hand is not None:
        return read_body(path, hands={"arm": hand}), True
    _, m = open_mjcf(path)
    if any("palm" in m.site(s).name.lower() for s in range(m.nsite)):
        return read_body(path), True
    joints = np.zeros(m.nbody, int)  # above each body, itself included
    for b in range(1, m.nbody):
        joints[b] = joints[m.body_parentid[b]] + m.body_jntnum[b]
    outermost = m.body(int(np.argmax(joints))).name
    if not outermost:
        raise FileError(f"'{path}' has no palm, and its outermost body no name; give --hand NAME")
    return read_body(path, hands={"arm": outermost}), False


def _examined(body: Body, joints: Sequence[str]) -> list[str]:
    from vastus.control.disorders.examination import hinges_of

    hinges = hinges_of(body)
    for name in joints:
        if name not in hinges:
            raise known("hinge", name, hinges)
    if not joints and len(hinges) != 1:
        raise ModelError(f"name the joint by --joint; the body has: {', '.join(hinges) or 'none'}")
    return list(dict.fromkeys(joints)) or hinges


def _pose(body: Body, given: Sequence[str]) -> Floats:
    from vastus.control.disorders.examination import hinges_of

    q = np.array(body.home)
    for word in given:
        joint, _, value = (part.strip() for part in word.rpartition("="))
        try:
            angle = radians(float(value))
        except ValueError:
            angle = float("nan")
        if not joint or not np.isfinite(angle):
            raise ModelError(f"--pose '{word}' is not of the form JOINT=DEG")
        if joint not in hinges_of(body):
            raise known("hinge", joint, hinges_of(body))
        q[body.model.joint(joint).qposadr[0]] = angle
    return q


def _weight(
    body: Body, hold: float | None, point: tuple[float, float, float] | None, *, palmed: bool
) -> Weight | None:
    from vastus.control.disorders.examination import Weight

    if hold is None:
        if point is not None:
            raise ModelError("--at says where a weight is held; give the weight by --hold KG")
        return None
    arm = body.arms[0]
    if point is None and not palmed:
        raise ModelError(
            f"the body has no palm: say where '{arm.hand}' holds the weight by --at X Y Z, or"
            " which site is the palm by --hand"
        )
    if len(body.arms) > 1:
        note(f"the weight is in the hand of arm '{arm.name}'; --hand names another")
    return Weight(hold, arm.name, point)


def _print(found: Comparison) -> None:
    table = plain_table("", "of", "before", "after", "")
    for heading in table.columns[2:4]:
        heading.justify = "right"
    for f in found.findings:
        table.add_row(f.measure, f.subject, _number(f.before), _number(f.after), f.unit)
    stdout().print(table)
    for f in found.findings:
        if f.measure.endswith("missing") and abs(f.after) > MISSED:
            note(f"warning: muscles leave {abs(f.after):.3g} N m of '{f.subject}' without balance")


def _number(value: float) -> str:
    return f"{value + 0.0:.3f}".replace("-0.000", "0.000")


def _draw(found: Comparison, folder: Path) -> None:
    from vastus.report.findings import draw_findings

    try:
        for path in draw_findings(found, folder):
            click.echo(f"plot: {path}")
    except MissingExtra as error:
        note(f"warning: nothing was drawn: {error}")
