"""How fast muscles are activated: activation a follows excitation e by a rate of first order.

    da/dt = (e - a)/tau,   tau = rise where e > a, fall where e < a

Excitation that changes evenly over a step has the answer in closed form, so that a step of any
length is stable and exact. The times unless given, 10 and 40 ms, are those of Millard, Uchida, Seth
and Delp 2013, as OpenSim has them; Thelen 2003 has 15 and 50 ms for young adults.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, expm1, log1p


@dataclass(frozen=True)
class Activation:
    """The times [s] in which activation comes within 1/e of an excitation above and below it."""

    rise: float = 0.010
    fall: float = 0.040

    def after(self, activation: float, begun: float, ended: float, seconds: float) -> float:
        """The activation after so many seconds in which excitation goes evenly to `ended`."""
        slope = (ended - begun) / seconds
        ahead = begun - activation  # by how much excitation is ahead of activation
        tau = self._time(ahead or slope)
        even = slope * tau  # what it would be in the long run
        last = even + (ahead - even) * exp(-seconds / tau)
        if ahead * last < 0:
            met = tau * log1p(-ahead / even)
            tau = self._time(slope)
            last = -slope * tau * expm1(-(seconds - met) / tau)
        return ended - last

    def _time(self, ahead: float) -> float:
        return self.rise if ahead > 0 else self.fall
