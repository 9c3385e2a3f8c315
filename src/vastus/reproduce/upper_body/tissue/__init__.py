"""Flesh and skin: the lattice, what is in it, and what it does."""
