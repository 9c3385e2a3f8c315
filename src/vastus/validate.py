"""What every model and every array of a user must satisfy; each violation is one sentence."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from vastus.errors import ModelError, known
from vastus.materials.base import require
from vastus.materials.fibres.published import active_curve, velocity_curve
from vastus.numerics.rotation import is_rotation
from vastus.numerics.types import Floats, Ints
from vastus.skeleton.guides import Wrap
from vastus.skeleton.joints import Ball, Joint, Rolling

if TYPE_CHECKING:
    from vastus.model import Model

KINDS = ("regions", "muscles", "bones", "joints", "loads", "pins", "guides", "cavities", "cables")
UNIT = 1e-6  # how far from 1 the length of a fibre direction may be


def validate(model: Model) -> None:
    """Raise a `ModelError` for the first thing in `model` that cannot be simulated."""
    for rule in (
        _arrays,
        _per_tet,
        _names,
        _regions,
        _muscles,
        _bones,
        _joints,
        _pins,
        _guides,
        _forces,
        _volume,
    ):
        rule(model)


def _arrays(model: Model) -> None:
    m = model.mesh.n_tets
    require(m > 0, f"model '{model.name}' has no tets")
    require(model.region.shape == (m,), f"'region' has shape {model.region.shape}, not ({m},)")
    require(model.fibre.shape == (m, 3), f"'fibre' has shape {model.fibre.shape}, not ({m}, 3)")
    require(bool(np.isfinite(model.fibre).all()), "the fibre field has a value that is not finite")
    _unit_or_none(model.fibre, "the fibre")
    inside = (model.region >= 0) & (model.region < len(model.regions))
    require(bool(inside.all()), f"{(~inside).sum()} tets belong to no region")
    inverted = int((model.mesh.volumes <= 0).sum())
    require(inverted == 0, f"{inverted} of {m} tets are inverted or flat")


def _unit_or_none(vectors: Floats, what: str) -> None:
    length = np.linalg.norm(vectors, axis=1)
    odd = np.flatnonzero((np.abs(length - 1) > UNIT) & (length > UNIT))
    if len(odd):
        raise ModelError(f"{what} of tet {odd[0]} has length {length[odd[0]]:g}, not 1")


def _per_tet(model: Model) -> None:
    m = model.mesh.n_tets
    for kind, given, shape in (
        ("direction", model.directions, (m, 3)),
        ("quantity", model.quantities, (m,)),
    ):
        for name, array in given.items():
            what = f"{kind} '{name}'"
            require(array.shape == shape, f"{what} has shape {array.shape}, not {shape}")
            require(bool(np.isfinite(array).all()), f"{what} has a value that is not finite")
            if kind == "direction":
                _unit_or_none(array, what)
    both = sorted({*model.directions} & {*model.quantities})
    require(not both, f"a direction and a quantity are both called '{both[0] if both else ''}'")


def _laws(model: Model, index: int) -> None:
    """What the laws of a region read of each tet must be there."""
    region, tets = model.regions[index], model.region == index
    for law in region.laws:
        for name, size in law.per_tet:
            kind, given = (
                ("direction", model.directions) if size == 3 else ("quantity", model.quantities)
            )
            require(
                name in given,
                f"law '{law.name}' of region '{region.name}' asks for the {kind} '{name}', but the "
                f"model has: {', '.join(given) or 'none'}",
            )
            short = size == 3 and np.linalg.norm(given[name][tets], axis=1) < 0.5
            require(
                not np.any(short),
                f"law '{law.name}' of region '{region.name}' acts along '{name}', but "
                f"{np.sum(short)} tets there have no such direction",
            )


def _names(model: Model) -> None:
    for kind in KINDS:
        names = [item.name for item in getattr(model, kind)]
        twice = sorted({n for n in names if names.count(n) > 1})
        require(not twice, f"two {kind} are called '{twice[0] if twice else ''}'")


def _regions(model: Model) -> None:
    muscles = {m.name for m in model.muscles}
    for index, region in enumerate(model.regions):
        require(
            0 <= region.density < inf, f"region '{region.name}' has density {region.density} kg/m^3"
        )
        require(bool((model.region == index).any()), f"region '{region.name}' has no tets")
        rigid = region.tissue.value == "bone"
        require(rigid or bool(region.laws), f"region '{region.name}' has no material law")
        require(
            not (rigid and region.laws),
            f"region '{region.name}' of bone has a material law, but bones are rigid",
        )
        if region.muscle is not None and region.muscle not in muscles:
            raise known("muscle", region.muscle, sorted(muscles))
        _laws(model, index)
        if any(law.fibrous for law in region.laws):
            short = np.linalg.norm(model.fibre[model.region == index], axis=1) < 0.5
            require(
                not short.any(),
                f"region '{region.name}' has a fibre law, but {short.sum()} tets without direction",
            )


# Numbers of a muscle that may be left out.
POSITIVE = ("force", "optimal", "pcsa", "fibre_length", "volume", "max_velocity",
            "activation_rise", "activation_fall")  # fmt: skip


def _muscles(model: Model) -> None:
    used = {r.muscle for r in model.regions if r.tissue.value == "muscle"}
    for muscle in model.muscles:
        who = f"muscle '{muscle.name}'"
        require(0 < muscle.strength < inf, f"{who} has strength {muscle.strength} Pa")
        for name in POSITIVE:
            value = getattr(muscle, name)
            good = value is None or 0 < value < inf
            require(good, f"{who} has {name} {value}; it must be finite and above 0")
        active_curve(muscle.curve)
        require(muscle.limit > 0, f"{who} has limit {muscle.limit}, which is not above 0")
        require(muscle.name in used, f"{who} has no muscle region")
        if muscle.force_velocity is not None:
            try:
                velocity_curve(muscle.force_velocity)
            except ModelError as error:
                raise ModelError(f"{who}: {error}") from None
            follows = model.force_length(model.muscle(muscle.name)).value
            require(
                follows != "local",
                f"{who} has a 'force_velocity', which goes by the belly, but its force follows the "
                "length of each tet; give it 'force_length: belly' and no active law",
            )


def _bones(model: Model) -> None:
    regions = {r.name: r for r in model.regions}
    owner: dict[str, str] = {}
    for bone in model.bones:
        for name in bone.regions:
            if name not in regions:
                raise known("region", name, regions)
            tissue = regions[name].tissue.value
            require(tissue == "bone", f"bone '{bone.name}' has region '{name}' of tissue {tissue}")
            require(name not in owner, f"region '{name}' belongs to two bones")
            owner[name] = bone.name
        _vertices(model, bone.attached, f"bone '{bone.name}'")
    loose = [r.name for r in model.regions if r.tissue.value == "bone" and r.name not in owner]
    require(not loose, f"bone region '{loose[0] if loose else ''}' belongs to no bone")
    claims = [
        np.union1d(np.unique(model.mesh.T[model.tets_of(b.regions)]), b.attached)
        for b in model.bones
    ]
    shared = np.flatnonzero(np.bincount(_joined(claims), minlength=1) > 1)
    if len(shared):
        pair = [b.name for b, c in zip(model.bones, claims, strict=True) if shared[0] in c]
        raise ModelError(f"bones '{pair[0]}' and '{pair[1]}' share {len(shared)} vertices")


def _joints(model: Model) -> None:
    names = [b.name for b in model.bones]
    for joint in model.joints:
        for name in joint.bones:
            if name not in names:
                raise known("bone", name, names)
        first, second = joint.bones
        require(first != second, f"joint '{joint.name}' ties bone '{first}' to itself")
        drives = {model.bones[names.index(n)].drive.value for n in joint.bones}
        require(
            drives != {"scripted"} and drives != {"pinned", "scripted"},
            f"joint '{joint.name}' ties '{first}' and '{second}', which are both moved by the "
            "script or pinned; one of them must be free",
        )
        with np.errstate(invalid="ignore"):  # an axis of no length
            if isinstance(joint, Rolling):
                require(
                    bool(joint.radius > 0) or not np.isfinite(joint.radius),
                    f"the wheel of joint '{joint.name}' touches the ground on its own axis; "
                    "'touch' must be its radius away",
                )
            placed = np.concatenate([joint.points(1.0), *joint.planes(1.0)])
        require(bool(np.isfinite(placed).all()), f"joint '{joint.name}' has no finite position")
        _axes(joint)
        _passive(joint)
        if isinstance(joint, Ball) and joint.range is not None:
            for fault in joint.range.faults(f"joint '{joint.name}'"):
                raise ModelError(fault)


def _axes(joint: Joint) -> None:
    if hasattr(joint, "second_axis"):
        one, two = (np.asarray(getattr(joint, key), float) for key in ("axis", "second_axis"))
        cosine = abs(one @ two) / (np.linalg.norm(one) * np.linalg.norm(two))
        angle = np.degrees(np.arccos(min(cosine, 1.0)))
        require(
            cosine < UNIT,
            f"the axes of joint '{joint.name}' are {angle:.4g} degrees apart; they must be at "
            "right angles",
        )


def _passive(joint: Joint) -> None:
    who, freedoms = f"joint '{joint.name}'", joint.freedoms
    require(
        len(joint.passive) in (0, len(freedoms)),
        f"{who} is a {joint.kind} of {len(freedoms)} coordinates, but has limits or springs for "
        f"{len(joint.passive)}",
    )
    for freedom, given in zip(freedoms, joint.passive, strict=bool(joint.passive)):
        low, high = (freedom.scale * end for end in given.range)
        told = f"the range of {low:g} to {high:g} {freedom.unit} of {who}"
        require(low < high, f"{told} must rise")
        require(low <= 0.0 <= high, f"{told} leaves out 0, the pose that it is modelled in")
        around = freedom.unit == "deg" and any(180.0 < abs(end) < inf for end in (low, high))
        require(not around, f"{told} goes farther than 180 degrees from the pose it is modelled in")
        for name in ("stiffness", "damping"):
            value = getattr(given, name)
            require(0 <= value < inf, f"the {name} of {who} is {value}; it must not be negative")
        require(abs(given.neutral) < inf, f"the neutral coordinate of {who} is {given.neutral}")


def _pins(model: Model) -> None:
    for pin in model.pins:
        _vertices(model, pin.vertices, f"pin '{pin.name}'")
        require(bool(np.isfinite(pin.shift).all()), f"the shift of pin '{pin.name}' is not finite")
        carried = model.bone_of_vertex[pin.vertices]
        require(
            bool((carried < 0).all()),
            f"pin '{pin.name}' holds vertices of bone '{_first(model, carried)}'; "
            "give the bone the drive 'pinned' instead",
        )
    for a, b in combinations(model.pins, 2):
        differ = np.logical_and(a.axes, b.axes) & np.not_equal(a.shift, b.shift)
        both = np.intersect1d(a.vertices, b.vertices)
        if differ.any() and len(both):
            names = f"pins '{a.name}' and '{b.name}'"
            raise ModelError(f"{names} hold vertex {both[0]} at different places")


def _guides(model: Model) -> None:
    for guide in model.guides:
        who = f"guide '{guide.name}'"
        for kind, name, items in (
            ("muscle", guide.muscle, model.muscles),
            ("bone", guide.bone, model.bones),
        ):
            if name not in [item.name for item in items]:
                raise known(kind, name, [item.name for item in items])
        shape = guide.sections.shape
        require(len(shape) == 2 and shape[0] >= 4, f"{who} has fewer than four cross-sections")
        _vertices(model, guide.sections.ravel(), who)
        numbers(guide.point, f"'point' of {who}", (3,))
        require(0 < guide.stiffness < inf, f"{who} has a stiffness of {guide.stiffness} N/m")
        if isinstance(guide, Wrap):
            numbers(guide.axis, f"'axis' of {who}", (3,))
            numbers(guide.reach, f"'reach' of {who}", shape[:1])


def _forces(model: Model) -> None:
    require(bool(np.isfinite(model.gravity).all()), f"gravity is {model.gravity}, not finite")
    for load in model.loads:
        _vertices(model, load.vertices, f"load '{load.name}'")
        require(len(load.vertices) > 0, f"load '{load.name}' acts on no vertex")
        shape, wanted = np.shape(load.weights), np.shape(load.vertices)
        require(shape == wanted, f"load '{load.name}' has weights {shape}, not {wanted}")
        total = float(np.sum(load.weights))
        require(abs(total - 1) < 1e-6, f"the weights of load '{load.name}' sum to {total:g}, not 1")
        require(bool(np.isfinite(load.force).all()), f"load '{load.name}' is not finite")


def _volume(model: Model) -> None:
    for region in model.regions if model.volume.averaged else ():
        require(
            not region.laws or any(law.knows_bulk for law in region.laws),
            f"the volume cannot be averaged, because no law of region '{region.name}' knows its "
            "bulk modulus",
        )


def _vertices(model: Model, vertices: np.ndarray, who: str) -> None:
    n = model.mesh.n_vertices
    bad = (vertices < 0) | (vertices >= n)
    require(not bad.any(), f"{who} names vertex {vertices[bad][:1]}, but there are {n}")


def _first(model: Model, bones: np.ndarray) -> str:
    return model.bones[bones[bones >= 0][0]].name if (bones >= 0).any() else ""


def _joined(parts: Iterable[np.ndarray]) -> np.ndarray:
    return np.concatenate([np.zeros(0, np.int64), *parts])


def numbers(given: Any, what: str, shape: tuple[int, ...] | None = None) -> Floats:
    """What is given as floating-point numbers, of this shape if there is one."""
    try:
        array = np.asarray(given, np.float64)
    except (TypeError, ValueError):
        raise ModelError(f"{what} must be numbers") from None
    if shape is not None:
        require(array.shape == shape, f"{what} has shape {array.shape}, not {shape}")
    return array


def whole(given: Any, what: str) -> Ints:
    """What is given as whole numbers; nothing counts as none of them."""
    array = np.asarray(given)
    if array.size == 0:
        return array.astype(np.int64)
    require(array.dtype.kind in "iu", f"{what} {array.dtype} values, not whole numbers")
    return array.astype(np.int64)


def vertices(given: Any, who: str) -> Ints:
    """(k,) the vertices that belong to somebody."""
    array = whole(given, f"the vertices of {who} hold")
    require(array.ndim == 1, f"the vertices of {who} have shape {array.shape}, not (k,)")
    return array


def pose(given: Any, bone: str) -> Floats:
    """(3, 4) the pose [R | t] of a bone, which must be a rigid motion."""
    what = f"a pose of bone '{bone}'"
    array = numbers(given, what, (3, 4))
    require(bool(np.isfinite(array).all()), f"{what} is not finite")
    require(
        is_rotation(array[:, :3]),
        f"{what} is not a rigid motion: its first three columns must be a rotation",
    )
    return array
