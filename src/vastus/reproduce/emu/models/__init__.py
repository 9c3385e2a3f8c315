"""The models of the EMU paper: those of its gallery, and an arm whose bones are scripted."""
