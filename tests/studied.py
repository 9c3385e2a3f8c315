"""A small scene to be studied, and functions for workers, which must be able to import them."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

from vastus.files.model_file import save_model
from vastus.model import Model
from vastus.studies.study import Study
from vastus.studies.study_call import study

SCENE = """\
vastus: 1
name: bar
model: {file: bar.npz}
inputs: {seconds: 1, fps: 1, activation: {belly: 0.05}}
solver: {kind: newton}
"""
STUDY = """\
vastus_study: 1
scene: bar.yaml
parameters:
  strength: {path: muscles.belly.strength, values: [1e5, 2e5]}
  stiffness: {path: materials.muscle.young, values: [5e4, 6e4]}
outputs:
  force: {column: belly_force_N}
"""


def small_scene(folder: Path, model: Model) -> Path:
    """The scene of a bar in a folder."""
    save_model(folder / "bar.npz", model)
    (folder / "bar.yaml").write_text(SCENE, encoding="utf-8")
    (folder / "study.yaml").write_text(STUDY, encoding="utf-8")
    return folder / "bar.yaml"


def of_function(function: Callable[..., object], count: int) -> Study:
    """A study of a function of `number`."""
    return study(function, {"number": list(range(count))})


def blind(sizes: object) -> bool:
    """What a worker says that sees none of the files."""
    return False


def square(number: int) -> float:
    return float(number**2)


def threads(number: int) -> float:
    """How many threads kernels may use at most in the process that computes it."""
    from vastus.numerics.jit import max_threads

    return float(max_threads())


def slow_square(number: int) -> float:
    time.sleep(0.05)
    return float(number**2)


def poison(number: int) -> float:
    """One of the numbers ends the process that computes it."""
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.05)
    return float(number)
