"""The pages: a viewer, live muscles, an authoring tool and operations, thin over the library."""
