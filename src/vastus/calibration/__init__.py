"""Parameters of a model that make its outputs follow measured curves, with their errors."""
