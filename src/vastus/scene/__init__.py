"""What an author describes: the scene file's schema, and a scene with the files it names."""

from vastus.scene.scene import Scene
from vastus.scene.schema import Description

__all__ = ["Description", "Scene"]
