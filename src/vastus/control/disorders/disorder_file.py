"""Disorders in YAML: a list under `disorders`, each with its kind, its muscles and its numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from vastus.bodies.body import Body
from vastus.control.disorders.disorder import Disorder
from vastus.control.disorders.kinds import DISORDERS
from vastus.control.disorders.patient import Patient
from vastus.errors import VastusError
from vastus.files.safe import SCENE, brief, read_text, write_text
from vastus.scene.read import first_error
from vastus.scene.schema import Places, unknown
from vastus.scene.write import item_lines
from vastus.scene.yaml import parse

KEY = "disorders"


def read_disorders(path: str | Path) -> tuple[Disorder, ...]:
    """The disorders of a YAML file, in order."""
    return _read(Path(path))[0]


def read_patient(path: str | Path, body: Body) -> Patient:
    """The body after the disorders of a YAML file; what it does not fit is said with its line."""
    disorders, places = _read(Path(path))
    patient = Patient.of(body)
    for number, disorder in enumerate(disorders):
        try:
            patient = patient.after(disorder)
        except VastusError as error:
            raise places.error((KEY, number, *_named(disorder, str(error))), str(error)) from error
    return patient


def disorders_text(disorders: Sequence[Disorder]) -> str:
    """The YAML of disorders, which reads back as the same."""
    rows = [disorder_row(disorder) for disorder in disorders]
    return "\n".join(item_lines({KEY: rows}, ())) + "\n"


def write_disorders(path: str | Path, disorders: Sequence[Disorder]) -> None:
    """Write disorders to a YAML file."""
    write_text(path, disorders_text(disorders))


def _named(disorder: Disorder, sentence: str) -> tuple[str, ...]:
    """The key whose word an error quotes first, if there is one."""
    places: list[tuple[int, str]] = []
    for key, value in disorder_row(disorder).items():
        words = value if isinstance(value, list) else [value]
        found = [sentence.find(f"'{word}'") for word in words]
        places += [(place, key) for place in found if place >= 0]
    return (min(places)[1],) if places else ()


def disorder_row(disorder: Disorder) -> dict[str, Any]:
    """What a file says of a disorder, as plain data."""
    given = disorder.model_dump(mode="json", exclude_defaults=True)
    return {"kind": disorder.kind, **{key: given[key] for key in given if key != "kind"}}


def _read(path: Path) -> tuple[tuple[Disorder, ...], Places]:
    data, places = parse(read_text(path, SCENE), str(path))
    if not isinstance(data, Mapping) or KEY not in data:
        raise places.error((), f"the key '{KEY}' is missing; it holds a list of disorders")
    for key in data:
        if key != KEY:
            raise places.error((str(key),), unknown("key", str(key), [KEY]))
    rows = data[KEY]
    if not isinstance(rows, list):
        raise places.error((KEY,), f"{brief(rows)} was given, but it must be a list of disorders")
    return tuple(_disorder(data, number, places) for number in range(len(rows))), places


def _disorder(data: Any, number: int, places: Places) -> Disorder:
    row, path = data[KEY][number], (KEY, number)
    if not isinstance(row, Mapping) or "kind" not in row:
        raise places.error(path, f"the key 'kind' is missing (allowed: {', '.join(DISORDERS)})")
    kind = DISORDERS.get(str(row["kind"]))
    if kind is None:
        raise places.error((*path, "kind"), unknown("kind", str(row["kind"]), list(DISORDERS)))
    try:
        return kind.model_validate(row)
    except ValidationError as error:
        placed: Any = [{**each, "loc": (*path, *each["loc"])} for each in error.errors()]
        raise first_error(placed, data, places) from None
