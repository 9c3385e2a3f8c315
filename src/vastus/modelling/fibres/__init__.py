"""Fibres of muscles: found, as an author gives them, judged and followed."""
