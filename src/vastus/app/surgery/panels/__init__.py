"""The parts of the page for operations."""
