"""Vastus: muscle simulated as what it is, a volume.

Names load on first use, so `import vastus` is light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from vastus import bodies, studies
    from vastus.actuators import Cable, Cavity
    from vastus.app.view.notebook import view
    from vastus.calibration.fit import calibrate
    from vastus.calibration.target import Target
    from vastus.control.activations.inverse_equilibrium import inverse_activation
    from vastus.energies.energy import Energy
    from vastus.export.export import write
    from vastus.files.model_file import load_model as load
    from vastus.files.model_file import save_model as save
    from vastus.inputs import Inputs, Schedule
    from vastus.job import run
    from vastus.materials.consistency import check_law
    from vastus.materials.traced import law
    from vastus.model import Model
    from vastus.modelling import gallery, shapes
    from vastus.modelling.build import build
    from vastus.muscle import Muscle
    from vastus.parts import Bone, Drive, Load, Pin, Region, Tissue, Volume
    from vastus.referee import Referee
    from vastus.results.result import read_result
    from vastus.scene.read import read
    from vastus.schedules import from_arrays, keyframes, ramp
    from vastus.sensitivity.derivatives import derivatives
    from vastus.solvers.emu.emu import Emu
    from vastus.solvers.motion.dynamic import Dynamic
    from vastus.solvers.motion.explicit import Explicit
    from vastus.solvers.newton import Newton
    from vastus.solvers.quasi_newton import QuasiNewton
    from vastus.state import Frame, Report, State
    from vastus.studies.study_call import study
    from vastus.timeloop import Controller, Stepper, simulate

_HOMES = {
    "Bone": "parts",
    "Cable": "actuators",
    "Cavity": "actuators",
    "Controller": "timeloop",
    "Drive": "parts",
    "Dynamic": "solvers.motion.dynamic",
    "Emu": "solvers.emu.emu",
    "Energy": "energies.energy",
    "Explicit": "solvers.motion.explicit",
    "Frame": "state",
    "Inputs": "inputs",
    "Load": "parts",
    "Model": "model",
    "Muscle": "muscle",
    "Newton": "solvers.newton",
    "Pin": "parts",
    "QuasiNewton": "solvers.quasi_newton",
    "Referee": "referee",
    "Region": "parts",
    "Report": "state",
    "Schedule": "inputs",
    "State": "state",
    "Stepper": "timeloop",
    "Target": "calibration.target",
    "Tissue": "parts",
    "Volume": "parts",
    "build": "modelling.build",
    "calibrate": "calibration.fit",
    "check_law": "materials.consistency",
    "derivatives": "sensitivity.derivatives",
    "from_arrays": "schedules",
    "inverse_activation": "control.activations.inverse_equilibrium",
    "keyframes": "schedules",
    "law": "materials.traced",
    "load": "files.model_file",
    "ramp": "schedules",
    "read": "scene.read",
    "read_result": "results.result",
    "run": "job",
    "save": "files.model_file",
    "simulate": "timeloop",
    "study": "studies.study_call",
    "view": "app.view.notebook",
    "write": "export.export",
}
_RENAMED = {"load": "load_model", "save": "save_model"}
_MODULES = {
    "bodies": "bodies",
    "gallery": "modelling.gallery",
    "materials": "materials",
    "shapes": "modelling.shapes",
    "studies": "studies",
}

__all__ = [*_HOMES, *_MODULES]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"vastus.{_HOMES[name]}"), _RENAMED.get(name, name))
    if name in _MODULES:
        return import_module(f"vastus.{_MODULES[name]}")
    raise AttributeError(f"module 'vastus' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted(__all__)
