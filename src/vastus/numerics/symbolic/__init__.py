"""Energies written in Python, recorded, differentiated and compiled."""
