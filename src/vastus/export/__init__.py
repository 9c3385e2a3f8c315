"""Results for other programs: one module a format."""
