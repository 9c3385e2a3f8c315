"""Live muscles: a solver in a process of its own that follows what is asked of it."""
