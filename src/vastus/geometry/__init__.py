"""Meshes, surfaces, and questions about where things are."""
