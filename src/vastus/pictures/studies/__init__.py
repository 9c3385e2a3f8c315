"""Pictures of studies, one file a kind."""
