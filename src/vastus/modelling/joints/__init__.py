"""Joints found from the shape of bones: where one is, and between which bones there may be one."""
