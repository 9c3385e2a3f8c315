"""The panels of the authoring page, in the order of the work."""
