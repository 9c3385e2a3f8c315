"""Workers that a scheduler of a cluster starts: Slurm, PBS, Kubernetes, by Dask's own packages.

What a job asks for stands in their own configuration (`~/.config/dask/jobqueue.yaml`), not here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from vastus.errors import ModelError
from vastus.studies.engines.dask_engine import (
    PATIENCE,
    SINGLE,
    OnDask,
    dask,
    settings,
    silent,
)
from vastus.studies.engines.engine import number_of

DASKS_OWN = "ghcr.io/dask/dask"  # the image that is Dask's usual one
USUAL = 4  # workers, unless their number is given


class Scheduled(OnDask):
    """Workers in jobs; a subclass says which cluster starts them."""

    def __init__(self, rest: str, options: Any) -> None:
        super().__init__(rest, options)
        self.workers = number_of(self.name, rest, USUAL)

    def cluster(self) -> Any:
        """The cluster, without workers."""
        raise NotImplementedError

    @contextmanager
    def client(self) -> Iterator[Any]:
        """Workers, as many as are asked for, some of which may have to wait for their turn."""
        distributed, config = dask(), dask("dask").config
        with config.set(settings()), silent():
            cluster = self.cluster()
            try:
                cluster.scale(self.workers)
                client = distributed.Client(cluster, timeout=6 * PATIENCE)
                if self._options.dashboard:
                    self._options.told(f"dashboard: {client.dashboard_link}")
                self._options.told(f"waiting for the first of {self.workers} workers")
                client.wait_for_workers(1)
                yield client
            finally:
                with suppress(Exception):
                    cluster.close()


class _Jobs(Scheduled):
    """Jobs of a batch system by dask-jobqueue."""

    kind = ""

    def cluster(self) -> Any:
        """The cluster of the site's configuration, whose workers have one thread each."""
        package = dask("dask_jobqueue", "cluster")
        said = dask("dask").config.get(f"jobqueue.{self.name}", {})
        for key in ("cores", "memory"):
            if said.get(key) is None:
                raise ModelError(
                    f"jobqueue.{self.name} has no '{key}': say what a job asks for in "
                    "~/.config/dask/jobqueue.yaml"
                )
        lines = [f"export {name}={count}" for name, count in SINGLE.items()]
        made = getattr(package, self.kind)(job_script_prologue=lines)
        threads = re.search(r"--nthreads (\d+)", made.job_script())
        if threads is None or int(threads[1]) != 1:
            made.close()
            raise ModelError(
                f"jobqueue.{self.name} gives a worker {threads[1] if threads else 'several'} "
                f"threads; give it processes: {said['cores']}, as many as it has cores"
            )
        return made


class Slurm(_Jobs):
    """Jobs of Slurm."""

    name, kind = "slurm", "SLURMCluster"


class Pbs(_Jobs):
    """Jobs of PBS."""

    name, kind = "pbs", "PBSCluster"


class Kubernetes(Scheduled):
    """Pods of Kubernetes by dask-kubernetes and its operator."""

    name = "kubernetes"

    def spec(self) -> dict[str, Any]:
        """What the operator is asked for: workers of one thread, of the site's image."""
        package = dask("dask_kubernetes.operator", "cluster")
        config = dask("dask").config
        image = config.get("kubernetes.image", None)
        if image is None or image.startswith(DASKS_OWN):
            raise ModelError(
                "kubernetes.image names no image that has vastus: say one in "
                "~/.config/dask/kubernetes.yaml"
            )
        found: dict[str, Any] = package.make_cluster_spec(
            "vastus-study",
            image=image,
            resources=config.get("kubernetes.resources", None),
            env={name: str(count) for name, count in SINGLE.items()},
            worker_command=["dask", "worker", "--nthreads", "1"],
        )
        return found

    def cluster(self) -> Any:
        """The cluster of the site's configuration."""
        spec = self.spec()
        package = dask("dask_kubernetes.operator", "cluster")
        return package.KubeCluster(custom_cluster_spec=spec)
