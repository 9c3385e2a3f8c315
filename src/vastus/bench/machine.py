"""What a benchmark ran on: enough to compare figures, nothing that names the machine."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from vastus.numerics.factor import best_factor

PACKAGES = ("vastus", "numpy", "scipy", "numba", "mkl", "felupe", "scikit-fem", "ngsolve")


def describe() -> dict[str, object]:
    """The processor, its cores, the memory [GB], the system, and the versions that matter."""
    return {
        "processor": processor(),
        "cores": os.cpu_count(),
        "memory_GB": round(memory() / 1e9, 1),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "factorisation": best_factor(),
        "packages": {name: installed(name) for name in PACKAGES},
    }


def processor() -> str:
    """The processor's model as the system names it."""
    listing = Path("/proc/cpuinfo")
    if listing.exists():
        for line in listing.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"


def memory() -> int:
    """The physical memory [bytes], or 0 where the system does not say."""
    if not hasattr(os, "sysconf"):
        return 0
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def installed(package: str) -> str:
    """The version of a package, or 'none'."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"
