"""Pictures of flesh and skin."""
