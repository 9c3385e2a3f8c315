"""What studies cost besides their variants: `studies.py engine`, `studies.py cold`.

`engine`: milliseconds a variant that computes nothing, by the clock and of this process, in one
process and on workers, whose start is told apart. `cold`: seconds of all processors of a study
whose kernels are not compiled yet, in one process and on two workers, and once they are.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

import vastus
from vastus.studies.study import Options, Study

SCENE = """
vastus: 1
name: elbow
model: {shape: elbow, tets: 2000}
inputs: {seconds: 1, fps: 2, activation: {biceps: 0.1}}
contact: none
solver: {kind: newton}
"""
BEGUN = 10  # variants, after which every worker has imported what it needs
VARIANTS = 12  # of the study whose kernels are compiled first


def nothing(x: float) -> dict[str, float]:
    """What a variant computes."""
    return {"y": x}


def spent() -> float:
    """[s] of processors, of this process and of all that it has waited for."""
    who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, who))


@contextmanager
def counted() -> Iterator[dict[str, float]]:
    """Seconds by the clock and of processors."""
    found: dict[str, float] = {}
    began, worked = perf_counter(), spent()
    yield found
    found |= {"clock_s": perf_counter() - began, "processors_s": spent() - worked}


def per_variant(on: str, variants: int) -> dict[str, float]:
    """What an engine costs: its start, and each variant once its workers have begun."""
    study: Study = vastus.study(nothing, {"x": [float(x) for x in range(variants)]})
    options = Options(on=on)
    with tempfile.TemporaryDirectory() as folder, counted() as whole:
        began = perf_counter()
        rows = study.carry_out(Path(folder) / "out", options)
        for _ in range(1 + BEGUN):  # the first tells that nothing has ended yet
            next(rows)
        ready, client = perf_counter(), spent()
        for _ in rows:
            last, client_last = perf_counter(), spent()
    left = variants - BEGUN
    return {
        "start_s": ready - began,
        "clock_ms": 1e3 * (last - ready) / left,
        "this_process_ms": 1e3 * (client_last - client) / left,
        "whole_processors_s": whole["processors_s"],
    }


def run(scene: Path, on: str, cache: str) -> float:
    """[s] of processors of a command, by processes of its own."""
    with tempfile.TemporaryDirectory() as folder:
        words = ["study", str(scene), "-o", f"{folder}/out", "--on", on]
        words += ["--set", f"muscles.biceps.strength=6e5:1.2e6:{VARIANTS}"]
        words += ["--output", "elbow_angle_deg"]
        single = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "MKL", "NUMBA")}
        before = spent()
        subprocess.run(
            [sys.executable, "-m", "vastus", *words],
            env={**os.environ, **single, "XDG_CACHE_HOME": cache},
            check=True,
            stdout=subprocess.DEVNULL,
        )
        return spent() - before


def cold() -> dict[str, float]:
    """[s] of processors, by engine, with kernels to compile and without."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        scene = Path(folder) / "elbow.yaml"
        scene.write_text(SCENE, encoding="utf-8")
        for on in ("serial", "local:2"):
            with tempfile.TemporaryDirectory() as cache:
                for kind in ("cold", "warm"):
                    found[f"{on}, {kind}"] = run(scene, on, cache)
                    print(f"{on}, {kind}: {found[f'{on}, {kind}']:.1f} s", flush=True)
    return found | {"cold over serial": found["local:2, cold"] / found["serial, cold"]}


def main() -> None:
    """Measure, and print a line of JSON for each engine."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["engine", "cold"])
    parser.add_argument("--variants", type=int, default=300)
    given = parser.parse_args()
    if given.what == "cold":
        print(json.dumps(cold()))
        return
    for on in ("serial", "local:1", "local:2"):
        print(json.dumps({"engine": on} | per_variant(on, given.variants)), flush=True)


if __name__ == "__main__":
    main()
