"""Binary glTF: soft regions as morph targets, one a frame; bones as nodes that move."""

from __future__ import annotations

from vastus.export.gltf.gltf_file import read, write

__all__ = ["read", "write"]
