"""The bones of trunk, head and arms: landmarks and surfaces, from tables or from a folder."""
