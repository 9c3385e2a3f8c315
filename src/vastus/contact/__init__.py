"""What keeps bodies out of each other: energies of their distance."""
