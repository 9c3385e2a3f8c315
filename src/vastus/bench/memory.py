"""How much memory a process has needed."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

_STATUS, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def forget_peak() -> None:
    """Begin to watch the peak anew, where the system can (Linux)."""
    with suppress(OSError):
        _CLEAR.write_text("5")


def peak() -> float | None:
    """The most memory [MB] this process has had since the peak was forgotten; None if unknown."""
    with suppress(OSError):
        # Unlike `ru_maxrss`, this does not count the process from which it was started.
        for line in _STATUS.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return float(line.split()[1]) / 1024
    with suppress(ImportError):
        import resource

        unit = 1024**2 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
    return None
