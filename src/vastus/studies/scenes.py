"""Variants of a scene: its data with other values, and what a worker keeps from one to the next.

Of the last few geometries a worker keeps what the build began with and what the checks found; of
the last few models, the solver made ready and what measures them.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from vastus.errors import ModelError
from vastus.files.safe import SCENE, read_bytes
from vastus.job import Job, prepare, require_movable, require_sound
from vastus.materials.traced import load_laws
from vastus.modelling.build import USUAL
from vastus.modelling.start import started
from vastus.results.writer import ResultWriter
from vastus.scene.read import contents_of, decoded, describe, read, scene_from
from vastus.scene.schema import Path as Keys
from vastus.scene.schema import Places, SceneError
from vastus.scene.yaml import parse
from vastus.state import Frame, rest
from vastus.studies.designs import Row
from vastus.studies.outputs import TIME, AnyOutput, Output, numbers_of, table_of
from vastus.studies.parameters import Parameter, is_number
from vastus.studies.paths import Ground, Place, varied
from vastus.studies.tasks import Measured, Task
from vastus.timeloop import Gauges, Stepper, simulate

# What a geometry does not depend on: sections, and keys within those that are by name.
LIGHT = ("name", "materials", "gravity", "start", "inputs", "solver", "output", "seed")
LIGHT_KEYS: Mapping[str, tuple[str, ...]] = {
    "loads": ("force",),
    "pins": ("shift",),
    "regions": ("material", "density"),
}
NOT_LIGHT = {"muscles": ("fibres",)}  # all other keys of these are light
DRIVEN = ("inputs", "output")  # what a model does not depend on
GEOMETRIES, MODELS = 4, 2  # kept by a worker
Item = TypeVar("Item")


@dataclass(frozen=True)
class VariedPlaces(Places):
    """Says of an error in a variant which of the study's values it comes from."""

    values: tuple[tuple[tuple[Keys, ...], str], ...] = ()

    def error(self, path: Keys, sentence: str) -> SceneError:
        """The sentence, led by the value of the study that it is about, or else by its key."""
        near = [one for one in self.values if any(_meet(path, target) for target in one[0])]
        named = [one for one in near if any(_names(sentence, t[-1]) for t in one[0])]
        about = [told for _, told in named or near]
        lead = about or [".".join(map(str, path))] * bool(path)
        return SceneError(": ".join([*([", ".join(lead)] if lead else []), sentence]))


def _meet(path: Keys, target: Keys) -> bool:
    """Whether one of two keys lies in the other."""
    least = min(len(path), len(target))
    return least > 0 and tuple(map(str, path[:least])) == tuple(map(str, target[:least]))


def _names(sentence: str, key: str | int) -> bool:
    """Whether a sentence speaks of a key."""
    return re.search(rf"\b{re.escape(str(key))}\b", sentence) is not None


@dataclass(frozen=True)
class SceneTask(Task):
    """A variant of the scene in a file; with a folder, its frames are written there."""

    data: Mapping[str, Any]
    path: Path
    places: VariedPlaces
    files: str = ""  # a hash of what the files hold that it names
    laws: tuple[Path, ...] = ()
    folder: Path | None = None

    @cached_property
    def dump(self) -> dict[str, Any]:
        """All that it says, with what it does not say as it is usual; refused if it is no scene."""
        found: dict[str, Any] = describe(self.data, self.places).model_dump(mode="json")
        return found

    @property
    def named(self) -> list[Path]:
        """The files that it names, those of a folder that it names, and the scene's own."""
        found = {self.path}
        for word in _strings(self.dump):
            path = self.path.parent / word
            if len(word) < 1000 and path.is_file():
                found.add(path)
            elif word and len(word) < 1000 and path.is_dir() and path != self.path.parent:
                found |= {file for file in path.rglob("*") if file.is_file()}
        return sorted(found)

    @property
    def identity(self) -> Any:
        """All that it says, and a hash of its files."""
        return [self.dump, self.files]

    @property
    def group(self) -> str:
        """The same for variants of one geometry."""
        return _hash([_without_light(self.dump), self.files])

    def called(self, key: str) -> SceneTask:
        """The same with its frames, if they are written, in a folder called after its key."""
        return self if self.folder is None else replace(self, folder=self.folder / key[:12])

    def run(self, outputs: tuple[AnyOutput, ...]) -> Measured:
        """Build and solve it with what this process kept, and measure it."""
        _load_laws(self.laws)
        kept = MEMORY.of(self)
        plain = [one for one in outputs if isinstance(one, Output)]
        called = [one for one in outputs if not isinstance(one, Output)]
        frames: list[Frame] = []
        with _written(kept.job, self.folder) as add:
            job, solver = kept.job, Ready(kept.stepper)
            made = simulate(job.model, solver, job.inputs, gauges=kept.gauges, start=job.start)
            for frame in made:
                add(frame)
                frames.append(frame)
        table = table_of(frames)
        found = {one.name: one.of(table) for one in plain}
        for each in called:
            found |= numbers_of(each.name, each.function_of_frames()(frames))
        effort = sum(frame.report.iterations for frame in frames)
        state = hashlib.sha256(frames[-1].state.x.tobytes()).hexdigest()[:16]
        return Measured(found, effort, state)


@dataclass(frozen=True)
class Ready:
    """A solver that is prepared already."""

    stepper: Stepper

    def prepare(self, model: object) -> Stepper:
        """The stepper that is there."""
        return self.stepper


@dataclass(frozen=True, eq=False)
class Kept:
    """A job, its solver made ready, and what measures its model."""

    job: Job
    stepper: Stepper
    gauges: Gauges


class Memory:
    """What this process keeps of the geometries and models that it has seen last."""

    def __init__(self) -> None:
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._models: OrderedDict[str, Kept] = OrderedDict()

    def of(self, task: SceneTask) -> Kept:
        """The variant made ready."""
        model = _hash([{k: v for k, v in task.dump.items() if k not in DRIVEN}, task.files])
        known = self._models.get(model)
        if known is None:
            return _recent(self._models, model, lambda: self._made(task), MODELS)
        self._models.move_to_end(model)
        scene = scene_from(task.data, task.path, task.places, source=known.job.scene.source)
        old = known.job
        job = replace(
            old, scene=scene, inputs=scene.inputs(old.model), start=started(scene, old.model)
        )
        return replace(known, job=job)

    def _made(self, task: SceneTask) -> Kept:
        job = self._job(task)
        return Kept(job, job.solver.prepare(job.model), Gauges(job.model))

    def _job(self, task: SceneTask) -> Job:
        """The job of a variant, begun like another of its geometry if there was one."""
        like = self._jobs.get(task.group)
        if like is not None:
            scene = scene_from(task.data, task.path, task.places, source=like.scene.source)
            job = prepare(scene, like=like, store=None)
        else:
            scene = scene_from(task.data, task.path, task.places)
            # Surfaces take long, and their steps are kept for all workers; others are quick.
            job = prepare(scene, store=USUAL if task.data.get("surfaces") else None)
        require_sound(job)
        require_movable(job)
        _recent(self._jobs, task.group, lambda: job, GEOMETRIES)
        return job


MEMORY = Memory()
_LOADED: set[Path] = set()


class SceneSubject:
    """The scene in a file, which a study varies."""

    def __init__(
        self,
        path: str | Path,
        parameters: Sequence[Parameter],
        *,
        laws: Sequence[Path] = (),
        frames: Path | None = None,
    ) -> None:
        self.path, self.laws, self._frames = Path(path), tuple(laws), frames
        _load_laws(self.laws)
        scene = read(self.path)
        store = USUAL if scene.description.surfaces else None
        self.job = prepare(scene, store=store)
        require_sound(self.job)
        self.text = read_bytes(self.path, SCENE)
        data, _ = parse(decoded(self.text, self.path), str(self.path))
        self.ground = Ground(data, self.job)
        self.places = {one.name: self._places(one) for one in parameters}
        self._parameters = {one.name: one for one in parameters}
        self._digests: dict[str, str] = {}

    @property
    def name(self) -> str:
        """What its author calls it."""
        return self.job.scene.name

    @cached_property
    def columns(self) -> list[str]:
        """What is measured in every frame."""
        still = rest(self.job.model)
        values, _ = Gauges(self.job.model).of(still, still)
        return [TIME, *values]

    @property
    def span(self) -> tuple[float, float] | None:
        """The first and last time [s], unless they vary."""
        paths = [path for one in self._parameters.values() for path in one.paths]
        if any(path in ("inputs", "inputs.seconds") for path in paths):
            return None
        times = self.job.inputs.times
        return float(times[0]), float(times[-1])

    def task(self, values: Row) -> SceneTask:
        """The variant with these values of the parameters."""
        changes, told = [], []
        for name, value in values.items():
            for place, old in self.places[name]:
                new = value * old if old is not None else value
                changes.append((place, new))
                told.append((place.targets, f"{place.path} = {_told(new)}"))
        places = VariedPlaces(values=tuple(told))
        task = SceneTask(varied(self.ground.data, changes), self.path, places, laws=self.laws)
        return replace(task, files=self._files(task), folder=self._frames)

    def _files(self, task: SceneTask) -> str:
        """A hash of what the files hold that a variant names; each set of files is read once."""
        description = describe(task.data, task.places)
        named = _hash([str(value) for value in _strings(task.dump)])
        if named not in self._digests:
            sha = hashlib.sha256()
            for content in contents_of(description, self.path.parent, task.places):
                sha.update(hashlib.sha256(content).digest())
            for law in self.laws:
                sha.update(read_bytes(law))
            self._digests[named] = sha.hexdigest()
        return self._digests[named]

    def _places(self, one: Parameter) -> list[tuple[Place, float | None]]:
        """Where a parameter goes, and what its numbers are factors of, if they are."""
        found = []
        for path in one.paths:
            place = self.ground.place(path)
            old = self.ground.value(place) if one.times else None
            if one.times and not is_number(old):
                raise ModelError(
                    f"{path}: factors need a number there, but the scene has "
                    f"{'none' if old is None else repr(old)}; give values"
                )
            found.append((place, old))
        return found


def _strings(value: Any) -> list[str]:
    """All words in some data, among which are the names of files."""
    if isinstance(value, Mapping):
        return [word for item in value.values() for word in _strings(item)]
    if isinstance(value, list | tuple):
        return [word for item in value for word in _strings(item)]
    return [value] if isinstance(value, str) else []


def _told(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()


def _without_light(dump: Mapping[str, Any]) -> dict[str, Any]:
    """What of a scene its geometry depends on."""
    out = {name: section for name, section in dump.items() if name not in LIGHT}
    for name, keys in LIGHT_KEYS.items():
        out[name] = {
            part: {k: v for k, v in (said or {}).items() if k not in keys}
            for part, said in (out.get(name) or {}).items()
        }
    for name, keys in NOT_LIGHT.items():
        out[name] = {
            part: {k: v for k, v in said.items() if k in keys}
            for part, said in (out.get(name) or {}).items()
            if any(said.get(k) is not None for k in keys)
        }
    return out


def _recent(kept: OrderedDict[str, Item], key: str, make: Callable[[], Item], most: int) -> Item:
    """What is kept under a key, made if it is not, as the last of so many."""
    if key not in kept:
        kept[key] = make()
    kept.move_to_end(key)
    while len(kept) > most:
        kept.popitem(last=False)
    return kept[key]


def _load_laws(files: Sequence[Path]) -> None:
    """Run files of laws that this process has not run yet."""
    new = [file for file in files if file not in _LOADED]
    load_laws(new)
    _LOADED.update(new)


@contextmanager
def _written(job: Job, folder: Path | None) -> Iterator[Callable[[Frame], None]]:
    """Writes each frame into a folder, if there is one, replacing a former result."""
    if folder is None:
        yield lambda frame: None
        return
    with ResultWriter(folder, job.model, job.provenance) as writer:
        yield writer.add
