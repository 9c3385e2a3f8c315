"""Quasi-static flesh: Newton's method by preconditioned conjugate gradients over free nodes."""
