"""Studies: many variants of a scene, a command or a function, from a laptop to a cluster."""

from vastus.studies.study import Study, Table
from vastus.studies.study_call import grid, lhs, listed, one_at_a_time, saltelli, sobol

__all__ = ["Study", "Table", "grid", "lhs", "listed", "one_at_a_time", "saltelli", "sobol"]
