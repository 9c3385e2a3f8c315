"""Parameters of material laws, by region or tissue, and by law where several have one name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING

from vastus.errors import ModelError, known
from vastus.inputs import Inputs
from vastus.materials.base import Law
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.parts import Tissue
from vastus.sensitivity.laws import pull_of_laws
from vastus.sensitivity.parameters.parameter import Parameter

if TYPE_CHECKING:
    from vastus.sensitivity.equilibrium import StableEquilibrium

ROOM = 0.5  # of what is left to a bound of the law, such as a Poisson's ratio of 0.5


class LawParameter(Parameter):
    """A parameter of a law in a region, or in all regions of a tissue.

    `materials.PART.NAME`, or `materials.PART.LAW.NAME` where two laws of the part have that name.
    """

    kind, form, of_model = "law", "materials.{part}.{parameter}", True

    @classmethod
    def read(cls, path: str) -> dict[str, str] | None:
        """The part, the law if it is told, and the parameter."""
        words = path.split(".")
        if len(words) < 3 or words[0] != "materials":
            return None
        laws = {"law": words[-2]} if len(words) > 3 else {}
        part = ".".join(words[1 : -2 if laws else -1])
        return {"part": part, "parameter": words[-1], **laws}

    @property
    def path(self) -> str:
        """Its path."""
        return ".".join(["materials", *(self.names[k] for k in ("part", "law", "parameter")
                                        if k in self.names)])  # fmt: skip

    @classmethod
    def all_of(cls, model: Model) -> Iterator[dict[str, str]]:
        """The numbers of the laws of tissues that have one composition, else of regions."""
        for part in _parts(model):
            given = _laws(model, part)
            names = [(law.name, name) for law in given for name in _numbers(law)]
            for law, name in names:
                twice = sum(other == name for _, other in names) > 1
                yield {"part": part, "parameter": name, **({"law": law} if twice else {})}

    def _chosen(self, model: Model) -> tuple[list[int], int]:
        """The regions, and the position of the law among each one's laws."""
        part, name = self.names["part"], self.names["parameter"]
        if part not in _parts(model):
            raise known("material", part, _parts(model))
        regions = _regions(model, part)
        laws = _laws(model, part)
        having = [k for k, law in enumerate(laws) if name in _numbers(law)]
        if "law" in self.names:
            told = [law.name for law in laws]
            if self.names["law"] not in told:
                raise ModelError(
                    f"'{part}' has no law '{self.names['law']}'; it has: {', '.join(told)}"
                )
            having = [k for k in having if laws[k].name == self.names["law"]]
        if not having:
            names = sorted({n for law in laws for n in _numbers(law)})
            raise ModelError(f"'{part}' has no parameter '{name}'; it has: {', '.join(names)}")
        if len(having) > 1:
            both = " or ".join(f"materials.{part}.{laws[k].name}.{name}" for k in having)
            raise ModelError(f"'{self.path}' is in two laws; give {both}")
        return regions, having[0]

    def value(self, model: Model, inputs: Inputs) -> float:
        """The parameter; all regions of the part must agree."""
        regions, place = self._chosen(model)
        name = self.names["parameter"]
        found = {float(getattr(model.regions[r].laws[place], name)) for r in regions}
        if len(found) > 1:
            named = ", ".join(model.regions[r].name for r in regions)
            raise ModelError(f"'{self.path}' differs between the regions {named}; name one of them")
        return found.pop()

    def varied(self, model: Model, inputs: Inputs, value: float) -> tuple[Model, Inputs]:
        """The model with another number in the law."""
        chosen, place = self._chosen(model)
        regions = list(model.regions)
        for r in chosen:
            laws = list(regions[r].laws)
            laws[place] = replace(laws[place], **{self.names["parameter"]: value})  # type: ignore[type-var]
            regions[r] = replace(regions[r], laws=tuple(laws))
        return model.with_laws(regions=tuple(regions)), inputs

    def scale(self, model: Model, inputs: Inputs) -> float:
        """Its own size, or less where the law ends near: it must exist on both sides."""
        value = self.value(model, inputs)
        size = abs(value) or 1.0
        while size > 1e-9 * (abs(value) or 1.0):
            if all(self._exists(model, inputs, value + side * ROOM * size) for side in (-1, 1)):
                return size
            size *= 0.1
        raise ModelError(f"'{self.path}' is {value:g}, at the end of what its law allows")

    def _exists(self, model: Model, inputs: Inputs, value: float) -> bool:
        regions, place = self._chosen(model)
        try:
            replace(model.regions[regions[0]].laws[place], **{self.names["parameter"]: value})  # type: ignore[type-var]
        except ModelError:
            return False
        return True

    def pull(self, here: StableEquilibrium) -> Floats:
        """What the stresses owe to the law's numbers, and a volume that patches share to it."""
        return here.difference(self) if here.limited else pull_of_laws(here, self)


def _numbers(law: Law) -> list[str]:
    """The names of a law's parameters that are numbers."""
    if not is_dataclass(law):
        return []
    return [f.name for f in fields(law) if isinstance(getattr(law, f.name), int | float)]


def _regions(model: Model, part: str) -> list[int]:
    """The regions of a part: the one that is called so, or those of a tissue."""
    own = [k for k, region in enumerate(model.regions) if region.name == part and region.laws]
    if own:
        return own
    return [k for k, region in enumerate(model.regions) if region.tissue == part and region.laws]


def _parts(model: Model) -> list[str]:
    """What materials are called by: tissues whose regions are of the same laws, and regions."""
    used = [region for region in model.regions if region.laws]
    tissues = [
        str(tissue)
        for tissue in Tissue
        if len({tuple(type(law) for law in r.laws) for r in used if r.tissue is tissue}) == 1
    ]
    return list(dict.fromkeys([*tissues, *(region.name for region in used)]))


def _laws(model: Model, part: str) -> tuple[Law, ...]:
    return model.regions[_regions(model, part)[0]].laws
