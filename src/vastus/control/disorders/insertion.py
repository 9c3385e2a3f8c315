"""An operation that moves where a muscle is fixed: a site of its path, put elsewhere."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from vastus.bodies.body import Body, mujoco_package
from vastus.bodies.limbs import arms_of
from vastus.control.disorders.disorder import Disorder
from vastus.errors import ModelError, known
from vastus.scene.schema import Vector, Word


class Insertion(Disorder):
    """The end of a path on another `bone`, at a `position` [m] in its frame.

    What is moved is the last site of the path, or `site`. Path lengths and moment arms are those
    of the new path; the lengths of fibres and tendon stay.
    """

    kind: Literal["insertion"] = "insertion"
    bone: Word
    position: Vector
    site: Word | None = None

    def body(self, body: Body) -> Body:
        """The body with the sites moved, compiled anew."""
        self.require_muscles(body)
        spec = body.spec.copy()
        bones = {bone.name: bone for bone in spec.bodies}
        if self.bone not in bones:
            raise known("bone", self.bone, [name for name in bones if name])
        for name in dict.fromkeys(self._site(spec, body, muscle) for muscle in self.muscles):
            self._require_own(spec, body, name)
            old = spec.site(name)
            look = {"size": old.size.copy(), "rgba": old.rgba.copy(), "group": old.group}
            spec.delete(old)  # paths know their sites by name
            bones[self.bone].add_site(name=name, pos=list(self.position), **look)
        palms = {arm.name: arm.palm for arm in body.arms}
        arms, model = arms_of(spec, palms, len(body.units), "the body")
        return replace(body, model=model, arms=arms, spec=spec)

    def _site(self, spec: Any, body: Body, muscle: str) -> str:
        sites = _sites(spec.tendons[body.names.index(muscle)])
        if self.site is not None and self.site not in sites:
            raise ModelError(
                f"no site '{self.site}' on the path of muscle '{muscle}'; it has: "
                f"{', '.join(sites)}"
            )
        return self.site or sites[-1]

    def _require_own(self, spec: Any, body: Body, site: str) -> None:
        """Refuse a site through which the path of a muscle runs that is not to be changed."""
        for muscle, tendon in zip(body.names, spec.tendons, strict=False):
            if site in _sites(tendon) and muscle not in self.muscles:
                raise ModelError(
                    f"the site '{site}' is on the path of muscle '{muscle}' too; list it as well"
                )


def path_sites(body: Body, muscle: str) -> list[str]:
    """The sites of a muscle's path, from its origin to its insertion."""
    return _sites(body.spec.tendons[body.names.index(muscle)])


def _sites(tendon: Any) -> list[str]:
    """The sites of a path, in order."""
    kind = mujoco_package().mjtWrap.mjWRAP_SITE
    return [point.target.name for point in tendon.path if point.type == kind]
