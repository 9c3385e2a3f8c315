"""The papers whose experiments can be repeated; what computes is loaded when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module

from vastus.errors import known
from vastus.reproduce.experiment import Experiment


@dataclass(frozen=True)
class Paper:
    """A paper: its experiments are in the folder of its name, and its page by its template.

    A folder has underscores where the name, which is that of the command, has hyphens.

    `body` is what a mesh of the user's stands for, if any experiment takes one; `arm` the same of
    an MJCF file of an arm.
    """

    name: str
    called: str
    cited: str
    title: str
    body: str = ""
    arm: str = ""

    @property
    def folder(self) -> str:
        """The folder of its experiments."""
        return self.name.replace("-", "_")

    @property
    def template(self) -> str:
        """The template of its page."""
        return f"reproduce/templates/{self.folder}.html"

    @property
    def experiments(self) -> Mapping[str, Experiment]:
        """Its experiments by name, in the order of the page."""
        module = import_module(f"vastus.reproduce.{self.folder}")
        found: Mapping[str, Experiment] = module.EXPERIMENTS
        return found

    def chosen(self, names: Sequence[str]) -> list[Experiment]:
        """The named experiments in the order of the page; all if none is named."""
        for name in names:
            if name not in self.experiments:
                raise known("experiment", name, list(self.experiments))
        return [e for e in self.experiments.values() if e.name in names or not names]


EMU = Paper("emu", "EMU", "Modi et al. 2020", "EMU, reproduced", body="the bunny")
FVM = Paper("fvm", "finite-volume muscle", "Teran et al. 2003", "Finite-volume muscle, reproduced")
CONTROL = Paper(
    "control",
    "volumetric-control",
    "Lee et al. 2018",
    "Control of volumetric muscles, reproduced",
    arm="the right arm of the built-in body",
)

UPPER_BODY = Paper(
    "upper-body", "upper-body", "Lee et al. 2009", "An upper body of 814 muscles, reproduced"
)

PAPERS = {paper.name: paper for paper in (EMU, FVM, CONTROL, UPPER_BODY)}
