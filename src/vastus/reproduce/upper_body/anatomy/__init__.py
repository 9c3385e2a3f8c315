"""Skeleton and lines of muscle: what there is, counted and drawn."""
