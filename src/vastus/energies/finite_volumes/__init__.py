"""Forces of finite volumes: what stress pushes through the faces of tets, in one pass over them."""
