"""Packages that another Python of this machine has: their part is run by that one, as a script.

This file needs nothing of this package, nor anything that Python 3.9 with NumPy does not have.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

SYSTEM = "/usr/bin/python3"  # what the system's packages are for


@dataclass(frozen=True)
class Told:
    """The bar as arrays: mesh X (n, 3), T (m, 4), what is clamped, forces of steps, the law."""

    X: Any
    T: Any
    clamped: Any  # (k,)
    steps: Any  # (steps, n, 3) [N]
    mu: float  # [Pa]
    lam: float
    tolerance: float


@cache
def interpreter(module: str) -> str | None:
    """The Python that can import a module: this one, the system's, or none."""
    if importlib.util.find_spec(module) is not None:
        return sys.executable
    if not Path(SYSTEM).exists():
        return None
    asked = subprocess.run([SYSTEM, "-c", f"import {module}, numpy"], capture_output=True)
    return SYSTEM if asked.returncode == 0 else None


def solve(script: Path, told: Path, answer: Path) -> None:
    """Run the script's `displacement` on a small and on a large bar, and write what it took."""
    spec = importlib.util.spec_from_file_location(script.stem + "_peer", script)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with np.load(told) as file:
        small, large = (
            Told(*(file[f"{name}_{field}"] for field in Told.__dataclass_fields__))
            for name in ("small", "large")
        )
    module.displacement(small)
    began = time.process_time()
    u = module.displacement(large)
    seconds = time.process_time() - began
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    peak = [float(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:")]
    np.savez(answer, u=u, seconds=seconds, peak=peak, version=_version(script.stem))


def _version(package: str) -> str:
    module = importlib.import_module(package)
    return str(getattr(module, "__version__", "unknown"))


if __name__ == "__main__":
    solve(*map(Path, sys.argv[1:]))
