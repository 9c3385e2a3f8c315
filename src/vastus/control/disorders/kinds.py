"""The kinds of disorders and operations that a file may list."""

from __future__ import annotations

from vastus.control.disorders.disorder import Disorder
from vastus.control.disorders.insertion import Insertion
from vastus.control.disorders.paralysis import Paralysis
from vastus.control.disorders.size import Atrophy, Contracture, Hypertrophy, Lengthening, Weakness

DISORDERS: dict[str, type[Disorder]] = {
    kind.model_fields["kind"].default: kind
    for kind in (Atrophy, Hypertrophy, Weakness, Paralysis, Contracture, Lengthening, Insertion)
}
