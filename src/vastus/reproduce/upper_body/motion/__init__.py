"""Control and dynamics: what muscles do, and how they are found."""
