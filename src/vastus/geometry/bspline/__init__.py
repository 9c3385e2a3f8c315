"""Volumes as tensor products of B-splines: their places, their inverse and their fit to points."""
