"""Regular lattices over a body: level sets, tetrahedra that are cut, coarsened and embed points."""
