"""Results for other programs: one module a format, or a kind of formats."""
