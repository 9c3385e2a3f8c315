"""Bellies: small volumetric muscles between two ends, many at once, and laws like them."""
