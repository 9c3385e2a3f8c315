"""What is measured of one muscle: tension, lengths, stretch, forces on bones, arms, work."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vastus.errors import ModelError
from vastus.measure.ends import Ends, ends_of, own_tets
from vastus.measure.fibre_tension import FibreStress, FibreTension
from vastus.measure.moments import Crossing, crossings
from vastus.measure.muscle_line import MuscleLine
from vastus.measure.resultants import Attachment, Resultant, guide_resultants
from vastus.measure.sections import SECTIONS, Sections
from vastus.model import Model
from vastus.numerics.small import determinants
from vastus.numerics.types import Floats, Ints
from vastus.state import State

TOO_WEAK = 1e-3  # of what a muscle can pull with; less has no arm and no share

Row = dict[str, float]


@dataclass(frozen=True, eq=False)
class Fibres:
    """The fibre stresses of a muscle at a time [s]: what its work is found from."""

    time: float
    stress: FibreStress


@dataclass(frozen=True, eq=False)
class Measured:
    """The outputs of a muscle by name, and what groups and the next frame need."""

    row: Row
    tension: float  # [N]
    on: dict[str, Resultant]  # by the names of what holds the muscle
    fibres: Fibres


class MuscleShape:
    """What follows from a muscle's shape and from what holds it, found when it is asked for.

    Whether it is `alone` is told by who knows of the vertices that muscles share.
    """

    def __init__(self, model: Model, muscle: int, *, alone: bool = True) -> None:
        self._model, self._muscle, self._alone = model, muscle, alone
        self.own = own_tets(model, muscle)
        self.soft = np.searchsorted(model.soft, self.own)

    @cached_property
    def _ends(self) -> Ends:
        return ends_of(self._model, self.own)

    @cached_property
    def line(self) -> MuscleLine:
        """Its line from tip to tip."""
        return MuscleLine(self._model, self.own, self._ends)

    @cached_property
    def attachments(self) -> list[Attachment]:
        """How it pulls at each thing that holds it."""
        return [Attachment(self._model, self.own, holder) for holder in self._ends.all]

    @cached_property
    def far(self) -> set[str]:
        """The names of what holds its insertion."""
        return {holder.name for holder in self._ends.insertion or self._ends.origin}

    @cached_property
    def sections(self) -> Sections | None:
        """Its sections, if it is alone."""
        return Sections(self._model, self.own, self._ends) if self._alone else None

    @cached_property
    def crossings(self) -> list[Crossing]:
        """The joints that it crosses."""
        return crossings(self._model, self._muscle)


class MuscleOutputs:
    """The outputs of one muscle, by its position."""

    def __init__(self, model: Model, muscle: int, *, alone: bool = True) -> None:
        self.name = model.muscles[muscle].name
        self._model, self._index = model, muscle
        self.shape = MuscleShape(model, muscle, alone=alone)
        self._usual: MuscleOutputs | None = None

    @cached_property
    def tension(self) -> FibreTension:
        """The tension of its fibres."""
        if self._usual is None:
            return FibreTension(self._model, self._index)
        return self._usual.tension.with_laws(self._model)

    @cached_property
    def belly(self) -> Ints:
        """(k,) the tets of its tissue, among the soft ones."""
        return np.searchsorted(self._model.soft, self.tension.tets)

    def with_laws(self, model: Model) -> MuscleOutputs:
        """The same muscle in a model with other laws, strengths or fibres, in the same shape."""
        other = copy(self)
        other.__dict__.pop("tension", None)
        other._model = model
        other._usual = self if model.fibre is self._model.fibre else None
        return other

    def of(self, state: State, F: Floats, P: Floats, before: Fibres | None = None) -> Measured:
        """What is measured for gradients F and stresses P [Pa] (s, 3, 3) of all soft tets.

        `before` are the fibres in the frame before, if there is one.
        """
        stress = self.tension.at(state, F[self.belly])
        fibres = Fibres(state.time, stress)
        active, passive = self.tension.of(stress)
        own = P[self.shape.soft]
        on = {part.holder.name: part.of(state.x, own) for part in self.shape.attachments}
        tension = {
            f"{self.name}_activation": float(state.activation[self._index]),
            **self._told(state),
            f"{self.name}_force_N": active + passive,
            f"{self.name}_active_N": active,
            f"{self.name}_passive_N": passive,
        }
        row = joined(
            tension,
            self._shape(state, F[self.belly], stress),
            *(resultant.columns(f"{self.name}_on_{name}") for name, resultant in on.items()),
            self._share(on, active + passive),
            self._through(own),
            self._turning(state, on),
            self._done(before, fibres),
        )
        return Measured(row, active + passive, on, fibres)

    def _told(self, state: State) -> Row:
        """The excitation, where activation follows it in time."""
        if self._model.muscles[self._index].delay is None:
            return {}
        return {f"{self.name}_excitation": float(state.excitation[self._index])}

    def _shape(self, state: State, F: Floats, stress: FibreStress) -> Row:
        """Lengths [m], fibre stretch and change of volume."""
        mean, spread = self.tension.spread(stress)
        found = self.shape.line.of(state.x)
        lengths = {f"{self.name}{part}": value for part, value in found.items()}
        volumes = self.tension.volumes
        return {
            **{f"{name}{'_length' * (name == self.name)}_m": v for name, v in lengths.items()},
            f"{self.name}_stretch": mean,
            f"{self.name}_stretch_spread": spread,
            f"{self.name}_volume_change": float(volumes @ determinants(F) / volumes.sum() - 1.0),
        }

    def _share(self, on: dict[str, Resultant], tension: float) -> Row:
        """Which share of the tension arrives at the insertion."""
        if not self.shape.sections:
            return {}
        arrived = np.sum([on[name].force for name in self.shape.far] or [np.zeros(3)], axis=0)
        strong = tension > TOO_WEAK * self.tension.strongest
        share = float(np.linalg.norm(arrived)) / tension if strong else np.nan
        return {f"{self.name}_share": share}

    def _through(self, P: Floats) -> Row:
        """The sizes of the forces through sections and tendons [N]."""
        if not self.shape.sections:
            return {}
        sizes = np.linalg.norm(self.shape.sections.of(P), axis=1).tolist()
        names = [f"section_{k + 1}" for k in range(SECTIONS)]
        names += [f"{side}_tendon" for side in self.shape.sections.tendons]
        return {f"{self.name}_{name}_N": size for name, size in zip(names, sizes, strict=True)}

    def _turning(self, state: State, on: dict[str, Resultant]) -> Row:
        """The moments [N m] and arms [m] about the joints that the muscle crosses.

        Moments are those of attachments and guides, arms are over the pull of attachments.
        """
        row: Row = {}
        guides = guide_resultants(self._model, self.name, state)
        holders = [part.holder for part in self.shape.attachments]
        bones = {holder.bone: on[holder.name] for holder in holders if holder.bone >= 0}
        for crossing in self.shape.crossings:
            centre, axes = crossing.place(state)
            force, moment = crossing.pull(bones, centre)
            if guides:
                moment = moment + crossing.pull(guides, centre)[1]
            size = float(np.linalg.norm(force))
            size = size if size > TOO_WEAK * self.tension.strongest else np.nan
            for name, axis in axes.items():
                about = float(moment @ axis)
                row[f"{crossing.name}_moment{name}_Nm"] = about
                row[f"{crossing.name}_arm{name}_m"] = about / size
                by_length = crossing.string.arm(state.x, centre, axis)
                row[f"{crossing.name}_excursion{name}_m"] = by_length
        return row

    def _done(self, before: Fibres | None, now: Fibres) -> Row:
        """What the fibres did since the frame before, and how fast."""
        work = self.tension.work(before.stress, now.stress) if before else 0.0
        passed = now.time - before.time if before else 0.0
        power = work / passed if passed > 0 else 0.0
        return {f"{self.name}_work_J": work, f"{self.name}_power_W": power}


def joined(*rows: Row) -> Row:
    """All rows in one, unless names are such that two columns would be called alike."""
    out: Row = {}
    for row in rows:
        both = sorted(out.keys() & row.keys())
        if both:
            raise ModelError(
                f"two columns would be called '{both[0]}'; rename a muscle, a bone, a joint, "
                "a cavity or a cable"
            )
        out |= row
    return out
