"""Who computes the variants of a study; a registry by the first word of `--on`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vastus.errors import known
from vastus.studies.engines.dask_engine import AtAddress, Local
from vastus.studies.engines.engine import Engine
from vastus.studies.engines.scheduled import Kubernetes, Pbs, Slurm
from vastus.studies.engines.serial import Serial

ENGINES: dict[str, Callable[[str, Any], Engine]] = {
    "serial": Serial,
    "local": Local,
    "dask": AtAddress,
    "slurm": Slurm,
    "pbs": Pbs,
    "kubernetes": Kubernetes,
}


def engine(on: str, options: Any) -> Engine:
    """The engine that a word such as serial, local:4 or dask:tcp://host:8786 names."""
    name, _, rest = on.partition(":")
    if name not in ENGINES:
        raise known("engine", name, ENGINES)
    return ENGINES[name](rest, options)
