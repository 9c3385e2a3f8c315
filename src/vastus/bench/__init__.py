"""Solvers side by side: time to an error, memory, and what other packages need."""
