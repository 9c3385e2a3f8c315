"""The authoring page: from surfaces to a running model, and a scene file a person could write."""
