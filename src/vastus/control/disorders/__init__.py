"""Disorders of muscles and operations on them, as data; and what an examination finds after them.

`Patient.of(body, disorders)` has the changed body and the law of its muscles; `undone` takes a
change back. `DISORDERS` lists the kinds, which a YAML file names.
"""

from __future__ import annotations

from vastus.control.disorders.comparison import Comparison, Finding, compare
from vastus.control.disorders.disorder import Disorder
from vastus.control.disorders.disorder_file import (
    read_disorders,
    read_patient,
    write_disorders,
)
from vastus.control.disorders.examination import Examination, Holding, Weight
from vastus.control.disorders.insertion import Insertion
from vastus.control.disorders.kinds import DISORDERS
from vastus.control.disorders.paralysis import Paralysis
from vastus.control.disorders.patient import Patient
from vastus.control.disorders.size import Atrophy, Contracture, Hypertrophy, Lengthening, Weakness

__all__ = [
    "DISORDERS",
    "Atrophy",
    "Comparison",
    "Contracture",
    "Disorder",
    "Examination",
    "Finding",
    "Holding",
    "Hypertrophy",
    "Insertion",
    "Lengthening",
    "Paralysis",
    "Patient",
    "Weakness",
    "Weight",
    "compare",
    "read_disorders",
    "read_patient",
    "write_disorders",
]
