"""Files of a scene for workers that do not share the folder in which they are."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from vastus.errors import FileError, ModelError
from vastus.files.safe import make_folder, read_bytes
from vastus.studies.scenes import SceneTask
from vastus.studies.tasks import Work

MOST = 50_000_000  # [bytes] that are sent; more is for a file system that all machines share


@dataclass(frozen=True)
class SentFiles:
    """Contents by their places below the folder of a scene."""

    contents: Mapping[str, bytes]

    @classmethod
    def of(cls, works: Sequence[Work]) -> SentFiles:
        """All that the scenes of some works name."""
        contents: dict[str, bytes] = {}
        for place, path in files_of(works).items():
            contents[place] = read_bytes(path)
            if sum(map(len, contents.values())) > MOST:
                raise FileError(
                    f"the workers do not see '{path}', and files of more than "
                    f"{MOST / 1e6:g} MB are not sent; put them where all machines see them"
                )
        return cls(contents)

    @property
    def digest(self) -> str:
        """The same for the same contents."""
        sha = hashlib.sha256()
        for place, content in sorted(self.contents.items()):
            sha.update(f"{place} {len(content)} ".encode())
            sha.update(content)
        return sha.hexdigest()[:16]

    def work(self, work: Work, folder: Path) -> Work:
        """The work with its files in a folder of this machine, written once."""
        if not isinstance(work.task, SceneTask):
            return work
        here = folder / f"vastus-{self.digest}"
        for place, content in self.contents.items():
            path = here / place
            if not path.is_file() or path.stat().st_size != len(content):
                make_folder(path.parent)
                part = path.with_name(f"{path.name}.part")
                part.write_bytes(content)
                part.replace(path)
        return replace(work, task=replace(work.task, path=here / work.task.path.name))


def files_of(works: Iterable[Work]) -> dict[str, Path]:
    """The files of scenes, by their places below the folder that the scene is in."""
    tasks = [work.task for work in works if isinstance(work.task, SceneTask)]
    roots = {task.path.parent.resolve() for task in tasks}
    if len(roots) > 1:
        raise ModelError("the scenes of a study are in several folders")
    named = {path for task in tasks for path in task.named}
    return {_place(path, root): path for root in roots for path in sorted(named)}


def _place(path: Path, root: Path) -> str:
    full = path.resolve()
    if not full.is_relative_to(root):
        raise FileError(
            f"the workers do not see '{path}', and only files beside the scene, or in folders "
            "there, are sent to them; put it there, or where all machines see it"
        )
    return full.relative_to(root).as_posix()


def sees(sizes: Mapping[str, int]) -> bool:
    """Whether this machine has files of these sizes at these places; called on workers."""
    paths = {Path(path): size for path, size in sizes.items()}
    return all(path.is_file() and path.stat().st_size == size for path, size in paths.items())
