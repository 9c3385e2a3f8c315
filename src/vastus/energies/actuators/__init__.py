"""What actuators add to the energy: cavities under pressure, cables, and the friction of cables."""
