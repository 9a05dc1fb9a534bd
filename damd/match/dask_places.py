"""A cluster's places, where there is a Dask to have them from. It is imported here alone, and only when it is asked for."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from damd.match.places import Cluster
from damd.match.tasks import WorkerLost

if TYPE_CHECKING:
    from damd.match.cluster import ClusterPlaces

_DASK = "distributed"
_EXTRA = "damd[cluster]"


def cluster_places(cluster: Cluster) -> ClusterPlaces:
    """Raises ``WorkerLost`` where Dask is not installed."""
    check_dask()
    from damd.match.cluster import ClusterPlaces

    return ClusterPlaces(cluster)


def check_dask() -> None:
    """Raises ``WorkerLost`` where Dask is not installed."""
    if find_spec(_DASK) is None:
        raise WorkerLost(f"a cluster needs the package {_DASK}, which is not installed: pip install '{_EXTRA}'")
