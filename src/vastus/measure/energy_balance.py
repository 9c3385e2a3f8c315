"""The energies of motion as columns: what is there, what was done, what is missing."""

from __future__ import annotations

from vastus.solvers.motion.energy_account import Account
from vastus.state import State

PARTS = (
    "kinetic",
    "stored",
    "contact",
    "muscles",
    "loads",
    "drives",
    "viscosity",
    "drag",
    "dampers",
    "friction",
    "lost",
)


def energy_columns(state: State) -> dict[str, float]:
    """The energies [J] of a state in motion and those done since it began; none of one at rest."""
    account = Account.of(state.memory)
    if account is None:
        return {}
    columns = {f"energy_{name}_J": float(getattr(account, name)) for name in PARTS}
    return columns | {"energy_balance_error": account.error}
