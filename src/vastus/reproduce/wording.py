"""Numbers as sentences have them."""

from __future__ import annotations


def percent(value: float, least: float = 1e-3) -> str:
    """A per cent value with two digits that matter: `0.52 %`, `under 0.001 %`, `180 %`.

    Below `least` [%] nothing is known of it.
    """
    if abs(value) < least:
        return f"under {least:g} %"
    return f"{value:.0f} %" if abs(value) >= 99.5 else f"{value:.2g} %"


def times(value: float) -> str:
    """A factor with two digits that matter: `0.37 times`, `12 times`."""
    return f"{value:.0f} times" if abs(value) >= 9.95 else f"{value:.2g} times"
