"""Pictures of models, builds and motions."""
