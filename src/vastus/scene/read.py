"""Read a scene file and every file that it names; each error is one sentence with its line."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from vastus.errors import FileError
from vastus.files.meshes import MESH_FORMATS
from vastus.files.safe import GEOMETRY, MIB, SCENE, read_bytes, reason, regular
from vastus.files.surface_formats import SURFACE_FORMATS
from vastus.scene import Scene
from vastus.scene.named_files import (
    files_of_fibres,
    files_of_laws,
    files_of_motions,
    read_curves,
    read_curves_of_fibres,
    read_motions,
    read_sheets,
    read_solids,
    read_source,
    read_vectors,
    with_law_tables,
)
from vastus.scene.scene import Description, Source
from vastus.scene.schema import Path as Keys
from vastus.scene.schema import Places, SceneError
from vastus.scene.tet_arrays import files_of_tets, read_tet_arrays
from vastus.scene.yaml import parse

_LINES = "build a model from it with: vastus build --from-{} {{}} --muscles all"
# Files of other kinds that may be taken for a scene, by their suffix: what they are, and for what.
OTHERS: dict[str, tuple[str, str]] = {
    ".osim": ("an OpenSim model", _LINES.format("osim")),
    ".xml": ("an MJCF model", _LINES.format("mjcf")),
    ".npz": ("a saved model or a set of arrays", "name it under 'model' or 'mesh' of a scene"),
    **dict.fromkeys(MESH_FORMATS, ("a mesh", "name it under 'mesh' of a scene")),
    **dict.fromkeys(
        SURFACE_FORMATS,
        ("a surface", "make a scene from the surfaces of a folder with: vastus author FOLDER"),
    ),
}
WORDING = {  # from the validator's words to an author's
    "Value error, ": "",
    "Input should": "it must",
    "Dictionary should": "it must",
    " after validation, not 0": "",
    "a valid dictionary": "a mapping of keys to values",
    "a valid tuple": "a list of values",
    "a valid": "a",
}
_CLASS = re.compile(r" or (an )?instance of \w+")  # of the program, which no author knows


# Keys that tell files which name a scene, and what takes those.
OF_SCENES = {
    "vastus_study": "this is a study of a scene; it is for `vastus study`",
    "scene": "this is a fit of a scene; it is for `vastus calibrate`",
}


def read(path: str | Path) -> Scene:
    """The scene of a YAML file, with the mesh, model and table that it names."""
    path = Path(path)
    if path.suffix.lower() in OTHERS:
        raise FileError(_not_a_scene(regular(path)))
    return scene_of(read_bytes(path, SCENE), path)


def _not_a_scene(path: Path) -> str:
    """The sentence for a file of another kind, with what takes it."""
    kind, remedy = OTHERS[path.suffix.lower()]
    return f"'{path}' is {kind}, not a scene; {remedy.format(shlex.quote(str(path)))}"


def scene_of(text: bytes, path: Path) -> Scene:
    """The scene of a YAML text that stands, or would stand, at this path."""
    data, places = parse(decoded(text, path), str(path))
    contents = [text, *contents_of(describe(data, places), path.parent, places)]
    return replace(scene_from(data, path, places), contents=b"".join(contents))


def contents_of(description: Description, folder: Path, places: Places) -> Iterator[bytes]:
    """What is in each file that a description names."""
    for keys, named in _files(description):
        with places.blame(*keys):
            yield _contents(folder / named)


def scene_from(data: Any, path: Path, places: Places, *, source: Source | None = None) -> Scene:
    """The scene of plain data that stand, or would stand, at this path.

    What it starts from is read, unless its `source` is given.
    """
    description = describe(data, places)
    return Scene(
        with_law_tables(description, path.parent, places),
        source or read_source(description, path.parent, places),
        read_curves(description, path.parent, places),
        places,
        vectors=read_vectors(description, path.parent, places),
        sheets=read_sheets(description, path.parent, places),
        tet_arrays=read_tet_arrays(description, path.parent, places),
        motions=read_motions(description, path.parent, places),
        solids=read_solids(description, path.parent, places),
        fascicles=read_curves_of_fibres(description, path.parent, places),
    )


def describe(data: Any, places: Places) -> Description:
    """What plain data say as a scene, or the first error in them, with its line."""
    if data is None:
        raise places.error((), "the file is empty; a scene starts with 'vastus: 1'")
    if not isinstance(data, Mapping):
        raise places.error((), f"a scene is a mapping of keys to values, not {_brief(data)}")
    for key, sentence in OF_SCENES.items():
        if key in data:
            raise places.error((key,), sentence)
    try:
        return Description.model_validate(data)
    except ValidationError as error:
        raise first_error(error.errors(), data, places) from None


def first_error(errors: Iterable[ErrorDetails], data: Any, places: Places) -> SceneError:
    """The error on the earliest line."""
    found = [(_path(e, data), _sentence(e)) for e in errors]
    path, sentence = min(found, key=lambda pair: places.lines.get(pair[0][:1], 0))
    return places.error(path, sentence)


def _path(error: ErrorDetails, data: Any) -> Keys:
    """The key that an error is about: its `loc` without the steps that are not in the data."""
    path: Keys = ()
    for key in error["loc"]:
        inside = range(len(data)) if isinstance(data, list) else data
        if isinstance(inside, Mapping | range) and key in inside:
            data, path = data[key], (*path, key)
    context = error.get("ctx") or {}
    path = (*path, *context.get("below", ()))
    return (*path, context["key"]) if error["type"] == "unknown_key" else path


def _sentence(error: ErrorDetails) -> str:
    if error["type"] in ("unknown_key", "part"):
        return str((error.get("ctx") or {})["sentence"])
    if error["type"] == "missing":
        return _missing(error)
    if error["type"] == "literal_error" and error["loc"] == ("vastus",):
        return f"scene version {_brief(error['input'])} was given; this vastus reads version 1"
    must = _CLASS.sub("", error["msg"])
    for old, new in WORDING.items():
        must = must.replace(old, new)
    if error["type"] == "too_short":
        must = _needed((error.get("ctx") or {})["min_length"])
    if error["type"] == "too_long":
        must = f"it must have {(error.get('ctx') or {})['max_length']} values"
    if isinstance(error["input"], Mapping) and error["type"] == "value_error":
        return must
    return f"{_brief(error['input'])} was given, but {must}"


def _missing(error: ErrorDetails) -> str:
    key = error["loc"][-1]
    if isinstance(key, int):
        return f"{_brief(error['input'])} was given, but {_needed(key + 1)}"
    if error["loc"] == ("vastus",):
        return "the key 'vastus' is missing; a scene starts with 'vastus: 1'"
    return f"the key '{key}' is missing"


def _needed(count: int) -> str:
    return f"at least {count} {'value is' if count == 1 else 'values are'} needed"


def _brief(value: Any) -> str:
    if value is None:
        return "nothing"
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."


def _contents(path: Path) -> bytes:
    """What is in a file, or in all files of a folder."""
    if not os.path.isdir(path):  # which takes any name
        return read_bytes(path)
    try:
        files = [file for file in sorted(path.iterdir()) if file.is_file()]
        size = sum(file.stat().st_size for file in files)
    except OSError as error:
        raise FileError(f"cannot read '{path}': {reason(error)}") from None
    if size > GEOMETRY:
        raise FileError(f"the files in '{path}' are more than {GEOMETRY / MIB:.0f} MiB")
    return b"".join(map(read_bytes, files))


def decoded(contents: bytes, path: Path) -> str:
    """The text of a file in UTF-8."""
    try:
        return contents.decode("utf-8")
    except UnicodeDecodeError:
        raise FileError(f"'{path}' is not a text file in UTF-8") from None


def _files(description: Description) -> list[tuple[Keys, Path]]:
    named: list[tuple[Keys, Path | None]] = [
        (("model", "file"), description.model.file if description.model else None),
        (("mesh", "file"), description.mesh.file if description.mesh else None),
        (("inputs", "activation_file"), description.inputs.activation_file),
    ]
    if description.surfaces is not None:
        parts = description.surfaces.parts.items()
        folder = description.surfaces.folder
        named += [(("surfaces", "parts", n, "file"), folder / part.file) for n, part in parts]
    named += files_of_fibres(description) + files_of_tets(description)
    named += files_of_laws(description) + files_of_motions(description)
    return [(keys, file) for keys, file in named if file is not None]
