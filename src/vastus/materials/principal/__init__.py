"""Laws that are functions of the principal stretches."""
