"""`study.yaml`: what an author writes of a study, and the study that it is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError, model_validator

from vastus.errors import ModelError, VastusError
from vastus.files.safe import SCENE, read_bytes
from vastus.scene.read import decoded, first_error
from vastus.scene.schema import Places, Section, Whole, Word, exactly_one, unknown
from vastus.scene.yaml import parse
from vastus.studies.commands import CommandSubject
from vastus.studies.designs import DESIGNS, Design
from vastus.studies.functions import FunctionSubject
from vastus.studies.outputs import AnyOutput, FunctionOutput, function_in, output
from vastus.studies.parameters import Parameter, parameter
from vastus.studies.scenes import SceneSubject
from vastus.studies.study import Study, Subject

MARK = "vastus_study"


class DesignPart(Section):
    """Which rows of values: the kind, how many are drawn, a seed, and the file of a list."""

    kind: Word = "grid"
    n: Whole | None = None
    seed: Whole = 0
    file: Path | None = None

    @model_validator(mode="after")
    def _known_kind(self) -> DesignPart:
        if self.kind not in DESIGNS:
            raise ValueError(unknown("design", self.kind, list(DESIGNS)))
        return self


class StudyFile(Section):
    """Everything an author may write of a study."""

    vastus_study: Literal[1]
    scene: Path | None = None
    command: Word | None = None
    python: Word | None = None
    laws: tuple[Path, ...] = ()
    parameters: dict[str, Any] = Field(min_length=1)
    design: DesignPart = DesignPart()
    outputs: dict[str, Any] = Field(default_factory=dict)
    keep: Literal["table", "frames"] = "table"
    on_failure: Literal["go_on", "stop"] = "go_on"

    @model_validator(mode="after")
    def _one_subject(self) -> StudyFile:
        exactly_one(self, "scene", "command", "python")
        if self.python is None and not self.outputs:
            raise ValueError("the key 'outputs' is missing: what is kept of each variant")
        return self


def is_study(path: Path) -> bool:
    """Whether a file says that it is a study."""
    text = decoded(read_bytes(path, SCENE), path)
    return any(line.startswith(f"{MARK}:") for line in text.splitlines())


def read_study(
    path: str | Path, *, allow_code: bool = False, frames: Path | None = None
) -> tuple[Study, StudyFile]:
    """The study of a file, and what its author wrote; `frames` is where `keep: frames` goes."""
    path = Path(path)
    text = decoded(read_bytes(path, SCENE), path)
    data, places = parse(text, str(path))
    said = _described(data, places)
    parameters = _each(places, "parameters", said.parameters, parameter)
    outputs = _each(places, "outputs", said.outputs, lambda n, given: output(_keys(given), n))
    outputs = [_at(path.parent, one) for one in outputs]
    if not allow_code:
        _refuse_code(said, outputs)
    frames = frames if said.keep == "frames" else None
    with places.blame():
        subject = _subject(said, parameters, path.parent, frames)
        design = said.design.model_dump() | {"file": _file(path.parent, said.design.file)}
        return Study(subject, parameters, outputs, Design(**design), text=text), said


def _described(data: Any, places: Places) -> StudyFile:
    if not isinstance(data, Mapping):
        raise places.error((), f"a study starts with '{MARK}: 1'")
    try:
        return StudyFile.model_validate(data)
    except ValidationError as error:
        raise first_error(error.errors(), data, places) from None


def _each(places: Places, section: str, given: Mapping[str, Any], made: Any) -> list[Any]:
    found = []
    for name, one in given.items():
        with places.blame(section, name):
            found.append(made(name, one))
    return found


def _keys(given: Any) -> Any:
    """An output that is a word alone is a column."""
    return given


def _file(folder: Path, file: Path | None) -> Path | None:
    return None if file is None else folder / file


def _at(folder: Path, one: AnyOutput) -> AnyOutput:
    """An output whose file is named from the folder of the study."""
    if isinstance(one, FunctionOutput):
        return FunctionOutput(one.name, (folder / one.file).resolve(), one.function)
    return one


def _refuse_code(said: StudyFile, outputs: list[AnyOutput]) -> None:
    """Refuse to run Python that a file names, unless it is allowed."""
    named = [
        f"{one.file.name}:{one.function}" for one in outputs if isinstance(one, FunctionOutput)
    ]
    named += [said.python] if said.python else []
    named += [str(law) for law in said.laws]
    named += ["--laws"] if said.command and "--laws" in said.command else []
    if named:
        raise ModelError(
            f"the study runs Python code ({', '.join(named)}); look at it, then give --allow-code"
        )


def _subject(
    said: StudyFile, parameters: list[Parameter], folder: Path, frames: Path | None
) -> Subject:
    if said.scene is not None:
        laws = [(folder / law).resolve() for law in said.laws]
        path = (folder / said.scene).resolve()
        return SceneSubject(path, parameters, laws=laws, frames=frames)
    if said.command is not None:
        return CommandSubject(said.command, parameters, folder.resolve())
    assert said.python is not None
    file, _, name = said.python.rpartition(":")
    if not file:
        raise VastusError(f"python: '{said.python}' is not of the form FILE.py:FUNCTION")
    return FunctionSubject(function_in((folder / file).resolve(), name), parameters)
