"""Energies of flesh on a graded lattice: elements over free nodes, mixed tissue, bone springs."""
