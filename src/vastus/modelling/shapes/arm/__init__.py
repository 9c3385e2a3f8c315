"""An anatomical right arm made of formulas: bones and muscles as closed surfaces.

Solids are drawn in tables of millimetres and turned to metres when they become surfaces.
"""
