"""Closed surfaces of bones and muscles become a `Model`."""
