"""The skeleton: joints, and bones that are rigid or affine."""

from vastus.skeleton.affine import Affine
from vastus.skeleton.bones import BoneModel
from vastus.skeleton.rigid import Rigid

# How bones may move: turn and shift, or also stretch and shear. Scenes choose by the name.
BONES: dict[str, type[BoneModel]] = {"rigid": Rigid, "affine": Affine}
