"""Environments in which controllers of muscles are learnt, for Gymnasium.

Importing this registers `vastus/Reach-v0` and `vastus/Track-v0`. It needs the extra `gym`.
"""

from __future__ import annotations

from vastus.control.learning.environment import MuscleEnv, register_environments
from vastus.control.learning.goals import Episode, Goal, Reach, Track

__all__ = ["Episode", "Goal", "MuscleEnv", "Reach", "Track"]

register_environments()
