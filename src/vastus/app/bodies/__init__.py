"""Articulated bodies in the page: motions that are played, and juggling that goes on."""
