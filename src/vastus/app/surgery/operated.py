"""What is edited: a patient with the list of changes, and every state on the way to it."""

from __future__ import annotations

from dataclasses import dataclass, field

from vastus.app.history import Change
from vastus.bodies.body import Body
from vastus.control.disorders.disorder import Disorder
from vastus.control.disorders.insertion import Insertion
from vastus.control.disorders.patient import Patient
from vastus.numerics.types import Floats

OPEN = Change("open")
DIGITS = 5  # of positions [m], a hundredth of a millimetre


@dataclass(frozen=True)
class Operated:
    """Patients after none, one, two ... of the disorders; `change` says how it came about."""

    stages: tuple[Patient, ...] = field(compare=False, repr=False)
    change: Change = field(default=OPEN, compare=False)
    disorders: tuple[Disorder, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "disorders", self.patient.disorders)

    @classmethod
    def of(cls, patient: Patient, change: Change = OPEN) -> Operated:
        """All states of a patient."""
        begun = cls((Patient.of(patient.healthy, loft=patient.loft),), change)
        for disorder in patient.disorders:
            begun = begun.after(disorder, change)
        return begun

    @property
    def patient(self) -> Patient:
        """The patient after all changes."""
        return self.stages[-1]

    @property
    def body(self) -> Body:
        """The body after all changes."""
        return self.patient.body

    def after(self, disorder: Disorder, change: Change | None = None) -> Operated:
        """With one more disorder."""
        said = change or Change(f"add {disorder}")
        return Operated((*self.stages, self.patient.after(disorder)), said)

    def without(self, index: int) -> Operated:
        """Without one of the disorders; those after it stay."""
        gone = self.disorders[index]
        left = Operated(self.stages[: index + 1], Change(f"remove {gone}"))
        for disorder in self.disorders[index + 1 :]:
            left = left.after(disorder, left.change)
        return left

    def inserted(
        self,
        muscles: tuple[str, ...],
        bone: str,
        position: Floats,
        *,
        site: str | None = None,
        key: str = "",
    ) -> Operated:
        """With a point of the path of muscles, the last unless told, on a bone at (3,) [m].

        If that was the last change too, it is corrected; there is no second one.
        """
        x, y, z = (round(float(value), DIGITS) + 0.0 for value in position)
        new = Insertion(muscles=muscles, bone=bone, position=(x, y, z), site=site)
        last = self.disorders[-1] if self.disorders else None
        again = isinstance(last, Insertion) and (last.muscles, last.site) == (muscles, site)
        before = Operated(self.stages[:-1]) if again else self
        what = f"'{site}'" if site else "insertion"
        return before.after(new, Change(f"move {what} of {', '.join(muscles)} to {bone}", key))
