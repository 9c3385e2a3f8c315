"""Numbers that count what is done with them, and three ways from the stress of a tet to forces."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from vastus.energies.finite_volumes import forms
from vastus.numerics.types import Floats
from vastus.reproduce.fvm import cited_forms

REPEATS = 7
SYMMETRIC = ((0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1))
CITED, PIOLA, CAUCHY = "double sums over corners", "P = F S, G = P Bm", "Bs, G = sigma Bs"


class Counted:
    """A number that counts what it is multiplied and added."""

    def __init__(self, value: float, counts: dict[str, int]) -> None:
        self.value, self._counts = value, counts

    def _made(self, what: str, value: float) -> Counted:
        self._counts[what] += 1
        return Counted(value, self._counts)

    def __mul__(self, other: Any) -> Counted:
        return self._made("times", self.value * getattr(other, "value", other))

    __rmul__ = __mul__

    def __add__(self, other: Any) -> Counted:
        return self._made("plus", self.value + getattr(other, "value", other))

    def __sub__(self, other: Any) -> Counted:
        return self._made("plus", self.value - getattr(other, "value", other))

    def __neg__(self) -> Counted:
        return Counted(-self.value, self._counts)


@dataclass(frozen=True)
class Way:
    """A way to the forces of a tet: what it costs, what it stores, how far its forces are off."""

    name: str
    times: int
    plus: int
    stored: int
    off: float
    ns: float  # [ns] a tet


@dataclass(frozen=True, eq=False)
class Tets:
    """Tets with edges at rest Dm and now Ds (m, 3, 3), in columns, and stresses S (m, 3, 3)."""

    Dm: Floats
    Ds: Floats
    S: Floats

    @classmethod
    def of(cls, count: int) -> Tets:
        """Tets and stresses at random."""
        random = np.random.default_rng(0)
        Dm, Ds, A = (np.eye(3) + 0.2 * random.normal(size=(count, 3, 3)) for _ in range(3))
        return cls(Dm, Ds, A + np.swapaxes(A, 1, 2))

    @property
    def volumes(self) -> Floats:
        """(m,) at rest, of either sign."""
        return np.asarray(np.linalg.det(self.Dm) / 6)

    @property
    def forces(self) -> Floats:
        """(m, 3, 4) the right ones: F S Bm, and their opposite in the first corner."""
        F = self.Ds @ np.linalg.inv(self.Dm)
        Bm = self.volumes[:, None, None] * np.swapaxes(np.linalg.inv(self.Dm), 1, 2)
        G = F @ self.S @ Bm
        return np.concatenate([-G.sum(axis=2, keepdims=True), G], axis=2)

    def cited(self) -> Way:
        """As O'Brien and Hodgins wrote it."""
        inner = np.linalg.inv(self.Dm)
        beta = np.concatenate([-inner.sum(axis=1, keepdims=True), inner], axis=1)
        corners = np.concatenate([np.zeros_like(self.Ds[:, :, :1]), self.Ds], axis=2)
        p = np.swapaxes(corners, 1, 2)
        arrays = [_columns(a) for a in (p, beta, self.S)]
        counts = {"times": 0, "plus": 0}
        W, f = _counted(np.zeros(16), counts), _counted(np.zeros(12), counts)
        numbers = [_counted(a[:, 0], counts) for a in arrays]
        cited_forms.pair_sums(numbers[1], numbers[2], 0, W)
        sums = counts["times"]
        cited_forms.corner_forces(numbers[0], W, 0, f)
        out = np.zeros((12, len(self.Dm)))
        seconds = least_time(lambda: cited_forms.all_cited(*arrays, out))
        off = _off(self.forces, out * self.volumes)
        # The paper's count is of the inner sums alone.
        return Way(CITED, sums, counts["plus"], 9, off, 1e9 * seconds / len(self.Dm))

    def piola(self) -> Way:
        """By the second Piola-Kirchhoff stress and the faces at rest."""
        inner = np.linalg.inv(self.Dm)
        F, B = _columns(self.Ds @ inner), _columns(self.volumes[:, None, None] * inner)
        S = np.array([self.S[:, i, j] for i, j in SYMMETRIC])
        counts = {"times": 0, "plus": 0}
        P, H = _counted(np.zeros(9), counts), _counted(np.zeros(9), counts)
        forms.first_piola(_counted(F[:, 0], counts), _counted(S[:, 0], counts), 0, P)
        forms.pushes(P, _counted(B[:, 0], counts), 0, H)
        for r in range(3):
            forms.last_push(H, r, 0)
        out = np.zeros((12, len(self.Dm)))
        seconds = least_time(lambda: cited_forms.all_piola(F, S, B, out))
        ns = 1e9 * seconds / len(self.Dm)
        return Way(PIOLA, counts["times"], counts["plus"], 9, _off(self.forces, out), ns)

    def cauchy(self) -> Way:
        """By Cauchy's stress and the faces as they are."""
        F = self.Ds @ np.linalg.inv(self.Dm)
        J = np.linalg.det(F)[:, None, None]
        E = _columns(np.swapaxes(self.Ds, 1, 2))
        sigma = _columns(F @ self.S @ np.swapaxes(F, 1, 2) / J)
        counts = {"times": 0, "plus": 0}
        B, H = _counted(np.zeros(9), counts), _counted(np.zeros(9), counts)
        forms.faces(_counted(E[:, 0], counts), 0, B)
        forms.pushes(_counted(sigma[:, 0], counts), B, 0, H)
        for r in range(3):
            forms.last_push(H, r, 0)
        out = np.zeros((12, len(self.Dm)))
        seconds = least_time(lambda: cited_forms.all_cauchy(E, sigma, out))
        ns = 1e9 * seconds / len(self.Dm)
        return Way(CAUCHY, counts["times"], counts["plus"], 0, _off(self.forces, out), ns)


def _columns(a: Floats) -> Floats:
    """(9 or 12, m) the numbers of matrices (m, 3 or 4, 3), row by row, side by side."""
    return np.ascontiguousarray(a.reshape(len(a), -1).T)


def _counted(numbers: Floats, counts: dict[str, int]) -> Any:
    return np.array([[Counted(float(v), counts)] for v in numbers], object)


def _off(right: Floats, out: Floats) -> float:
    """How far forces out (12, m) are from the right ones (m, 3, 4), of their size."""
    mine = np.swapaxes(out.T.reshape(-1, 4, 3), 1, 2)
    return float(np.abs(mine - right).max() / np.abs(right).max())


def least_time(run: Callable[[], object]) -> float:
    """The least time [s] of several, after one that does not count."""
    run()
    taken = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        run()
        taken.append(time.perf_counter() - start)
    return min(taken)
