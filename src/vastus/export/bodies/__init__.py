"""Motions of articulated bodies for other programs: bones, muscles and balls in time."""
