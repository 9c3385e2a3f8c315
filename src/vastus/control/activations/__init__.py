"""Activations from motions that are given: inverse dynamics, moment arms, torques shared out."""
