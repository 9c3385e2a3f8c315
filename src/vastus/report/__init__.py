"""A result as one page."""
