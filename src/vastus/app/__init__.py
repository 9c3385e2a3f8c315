"""The pages: a viewer, live muscles and an authoring tool, thin over the library."""
