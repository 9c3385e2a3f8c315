"""Muscles of the upper body as closed surfaces with fibres, each following lines of muscle."""

from __future__ import annotations

from vastus.bodies.upper.muscle_volumes.drawing import muscle_volumes
from vastus.bodies.upper.muscle_volumes.record import MuscleVolume, MuscleVolumes

__all__ = ["MuscleVolume", "MuscleVolumes", "muscle_volumes"]
