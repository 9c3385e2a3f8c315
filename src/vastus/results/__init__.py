"""Result folders: reading, writing, provenance and playback."""
