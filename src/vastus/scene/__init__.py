"""What an author describes: the scene file's schema, and a scene with the files it names."""

from vastus.scene.scene import Description, Scene

__all__ = ["Description", "Scene"]
