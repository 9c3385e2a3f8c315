"""Scene to model: what it starts from, then all else that its author says of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any, TypeVar

import numpy as np

from vastus.cache import Log, Store
from vastus.contact.bodies import check_pairs
from vastus.contact.floor import FloorContact
from vastus.contact.prepare import usual_contact
from vastus.errors import ModelError
from vastus.materials.along import Along
from vastus.materials.base import Law, find_law, require
from vastus.materials.consistency import check_users
from vastus.model import Model, Muscle, index_of
from vastus.modelling.actuators import with_actuators
from vastus.modelling.fibres.authored import with_fibres
from vastus.modelling.fibres.per_tet import with_per_tet
from vastus.modelling.select import load, vertices_in
from vastus.modelling.sources import Built, start
from vastus.modelling.surfaces.anatomy import with_fits
from vastus.parts import Bone, Contact, ContactKind, Floor, Pin, Region, Tissue, Volume
from vastus.scene.body import BonePart, JointPart, Material, MusclePart, RegionPart, Term, terms
from vastus.scene.scene import Scene
from vastus.scene.schema import Path, Places, Section, unknown
from vastus.scene.selection import Axis
from vastus.skeleton.joints import Joint
from vastus.skeleton.rigid import Rigid
from vastus.solvers.motion.dynamic import Dynamic
from vastus.solvers.motion.explicit import Explicit
from vastus.solvers.newton import Newton
from vastus.solvers.quasi_newton import QuasiNewton

Item = TypeVar("Item", Bone, Muscle, Region)
USUAL = Store()
# The contact that models of each solver have unless said; others have none.
CONTACTS: dict[type[Any], Callable[[], Contact]] = {
    Newton: usual_contact,
    QuasiNewton: usual_contact,
    Dynamic: usual_contact,
    Explicit: lambda: Contact(muscles=ContactKind.NONE),
}


def build(scene: Scene) -> Model:
    """The model that a scene describes."""
    return built(scene).model


def built(
    scene: Scene,
    *,
    store: Store | None = USUAL,
    watch: Callable[[str], None] = lambda _: None,
    log: Log | None = None,
    began: Built | None = None,
) -> Built:
    """The model that a scene describes; `watch` is told the steps of a build that takes long.

    Steps that take long are kept in the `store`, the user's cache unless said. A `log` stands for
    both. What another scene `began` with is taken in place of what this one names.
    """
    made = began or start(scene.source, scene, log or Log(store, watch))
    scene = with_fits(scene, made.anatomy) if made.anatomy else scene
    # Whose volume is resisted can only be said when all materials are known.
    model = made.model.with_(volume=Volume.TET)
    for step in STEPS:
        with scene.places.blame():
            model = step(scene, model)
    with scene.places.blame("volume"):
        model = model.with_(volume=_volume(scene, model, made.model.volume))
    with scene.places.blame("contact"):
        model = model.with_(contact=_contact(scene, model))
    return Built(model, made.anatomy, made)


def _volume(scene: Scene, model: Model, usual: Volume) -> Volume:
    """What the author says, or what is usual where all laws can do with it."""
    given = scene.description
    if given.volume is not None:
        return given.volume
    able = all(any(law.knows_bulk for law in r.laws) for r in model.regions if r.laws)
    return usual if able else Volume.TET


def _contact(scene: Scene, model: Model) -> Contact | None:
    """What the author says of contact; else what the model has, or what its solver can do."""
    given, solver = scene.description.contact, scene.description.solver
    if given is None and isinstance(scene.source, Model):
        return model.contact
    if given is None:
        able = solver.kind in CONTACTS and issubclass(solver.bones, Rigid)
        if not (able and model.bones and len(model.soft)):
            return None
        own, usual = model.contact, CONTACTS[solver.kind]()
        return usual if own is None or _needs_more(own, usual) else own
    if given == "none":
        return None
    usual = CONTACTS.get(solver.kind, usual_contact)()
    muscles = usual.muscles if given.muscles is None else given.muscles
    said = given.model_dump() | {"muscles": muscles}
    contact = Contact(**said)
    check_pairs(model, contact)
    return contact


def _needs_more(contact: Contact, usual: Contact) -> bool:
    """Whether a contact has a barrier that a solver or an installation with a usual one has not."""
    wanted = ContactKind.BARRIER in (contact.bones, contact.muscles)
    return wanted and usual.muscles is not ContactKind.BARRIER


def made_of(region: Region, material: Material, places: Places, path: Path) -> Region:
    """The region with another material; a muscle keeps its fibres unless it is given others."""
    given = terms(material)
    several = not isinstance(material, Term)
    paths = [(*path, i) if several else path for i in range(len(given))]
    laws = tuple(_law(term, places, p) for term, p in zip(given, paths, strict=True))
    if region.tissue is Tissue.MUSCLE and not any(law.active for law in laws):
        bare = not any(law.fibrous for law in laws)
        laws += tuple(law for law in region.laws if law.active or (bare and law.fibrous))
    return replace(region, laws=laws)


def _law(term: Term, places: Places, path: Path) -> Law:
    with places.blame(*path, "law"):
        kind = find_law(term.law)
    allowed = [f.name for f in fields(kind)]  # type: ignore[arg-type]
    for name, value in term.parameters.items():
        with places.blame(*path, name):
            _check_parameter(name, value, allowed, _is_table(kind, name))
    # Which parameter a law refuses stands in its sentence, not in quotes.
    with places.blame(*path):
        law = kind(**term.parameters)
        check_users([law])
    if term.along is None:
        return law
    with places.blame(*path, "along"):
        return Along(law, term.along)


def _is_table(law: type[Law], parameter: str) -> bool:
    return isinstance(getattr(law, parameter, None), tuple)  # the default of a field


def _check_parameter(name: str, value: object, allowed: list[str], table: bool) -> None:
    if name not in allowed:
        raise ModelError(unknown("parameter", name, allowed))
    if table:
        rows = isinstance(value, list | tuple)
        require(rows, f"{value!r} was given, but it must be rows of two numbers, or a CSV file")
        return
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ModelError(f"{value!r} was given, but it must be a number")


def _materials(scene: Scene, model: Model) -> Model:
    """Materials by tissue first, then by region, whatever the order they are written in."""
    given = scene.description.materials
    tissues, regions = [t.value for t in Tissue], [r.name for r in model.regions]
    for name in given:
        if name not in tissues + regions:
            sentence = unknown("tissue or region", name, [*tissues, *regions])
            raise scene.places.error(("materials", name), sentence)

        with scene.places.blame("materials", name):
            _not_bone(name, [r for r in model.regions if name in (r.tissue.value, r.name)])

    def dressed(region: Region) -> Region:
        for name in (region.tissue.value, region.name):
            if name in given:
                region = made_of(region, given[name], scene.places, ("materials", name))
        return region

    return model.with_(regions=tuple(dressed(r) for r in model.regions))


def _not_bone(name: str, regions: list[Region]) -> None:
    rigid = any(region.tissue is Tissue.BONE for region in regions)
    if rigid or (name == Tissue.BONE and not regions):
        raise ModelError(f"{name} can have no material, because bones are rigid")


def _regions(scene: Scene, model: Model) -> Model:
    def changed(region: Region, part: RegionPart) -> Region:
        _only_for_mesh(scene, part, "label", "set", "tissue", "muscle")
        if part.density is not None:
            region = replace(region, density=part.density)
        if part.material is None:
            return region
        _not_bone("this region", [region])
        return made_of(region, part.material, scene.places, ("regions", region.name, "material"))

    return model.with_(regions=_each(scene, "regions", model.regions, changed))


def _muscles(scene: Scene, model: Model) -> Model:
    def changed(muscle: Muscle, part: MusclePart) -> Muscle:
        given = part.told
        if "strength" in given:  # it is asked for instead of what the model said of its force
            given = {"force": None, **given}
        if "optimal" in given:
            given = {"fibre_length": None, **given}
        return replace(muscle, **given)

    return model.with_(muscles=_each(scene, "muscles", model.muscles, changed))


def _bones(scene: Scene, model: Model) -> Model:
    def changed(bone: Bone, part: BonePart) -> Bone:
        if scene.description.surfaces is None:
            _only_for_mesh(scene, part, "regions")
        if part.drive is not None:
            bone = replace(bone, drive=part.drive)
        if part.attached is not None:
            bone = replace(bone, attached=vertices_in(part.attached, model))
        return bone

    return model.with_(bones=_each(scene, "bones", model.bones, changed))


def _each(
    scene: Scene, section: str, items: tuple[Item, ...], change: Callable[..., Item]
) -> tuple[Item, ...]:
    """Every item, changed if the author says something of it."""
    parts = getattr(scene.description, section)
    changed = list(items)
    for name, part in parts.items():
        with scene.places.blame(section, name):
            index = index_of(section[:-1], name, items)
            changed[index] = change(items[index], part)
    return tuple(changed)


def _only_for_mesh(scene: Scene, part: Section, *names: str) -> None:
    given = [name for name in names if getattr(part, name) is not None]
    if given and scene.description.mesh is None:
        raise ModelError(f"the key '{given[0]}' is for a scene with a mesh; here the model has it")


def _kept_joints(scene: Scene, model: Model) -> Model:
    """Without the joints that the author gives anew, or takes away by giving null."""
    said = scene.description
    anew = {name for name, part in said.joints.items() if part is None} | set(said.placed_joints)
    return model.with_(joints=tuple(j for j in model.joints if j.name not in anew))


def _resistances(scene: Scene, model: Model) -> Model:
    """With what the author changes of how the model's joints resist."""
    joints = list(model.joints)
    for name, part in scene.description.joints.items():
        if part is not None and not isinstance(part, JointPart):
            with scene.places.blame("joints", name):
                index = index_of("joint", name, joints)
                joints[index] = part.resisting(joints[index])
                model = model.with_(joints=tuple(joints))
    return model


def _joints(scene: Scene, model: Model) -> Model:
    for name, part in scene.description.placed_joints.items():
        for i, bone in enumerate(part.bones):
            with scene.places.blame("joints", name, "bones", i):
                model.bone(bone)
        with scene.places.blame("joints", name):
            model = model.with_(joints=(*model.joints, _joint(name, part)))
    return model


def _joint(name: str, part: JointPart) -> Joint:
    if part.centre is None:
        raise ModelError("the key 'centre' is missing")
    numbers: dict[str, Any] = {key: np.array(getattr(part, key)) for key in part.kind.placed_by()}
    return part.resisting(part.kind(name=name, bones=part.bones, **numbers))


def _pins(scene: Scene, model: Model) -> Model:
    pins = [old for old in model.pins if old.name not in scene.description.pins]
    for name, part in scene.description.pins.items():
        with scene.places.blame("pins", name):
            x, y, z = (axis in part.axes for axis in Axis)
            pins.append(Pin(name, vertices_in(part, model), (x, y, z), part.shift))
    return model.with_(pins=tuple(pins))


def _loads(scene: Scene, model: Model) -> Model:
    loads = [old for old in model.loads if old.name not in scene.description.loads]
    for name, part in scene.description.loads.items():
        with scene.places.blame("loads", name):
            loads.append(load(name, part, model))
    return model.with_(loads=tuple(loads))


def _rest(scene: Scene, model: Model) -> Model:
    given = scene.description
    gravity = model.gravity if given.gravity is None else np.array(given.gravity)
    floor = model.floor if given.floor is None else Floor(**given.floor.model_dump())
    if floor is not None:
        with scene.places.blame("floor"):
            _require_above(floor, model)
    return model.with_(name=scene.name, gravity=gravity, floor=floor)


def _require_above(floor: Floor, model: Model) -> None:
    """Refuse a floor that the model does not begin above."""
    lowest = float(FloorContact(model, floor).heights(model.mesh.X).min(initial=np.inf))
    if lowest <= 0:
        raise ModelError(
            f"the model begins {-1e3 * lowest:.3g} mm below the floor; lower its point, or raise "
            "the model"
        )


# A bone can only be driven without the joints that forbid it, and fibres run between bones.
# Laws ask for directions, some of which are turned fibres: they are found again with the fibres.
STEPS = (
    with_per_tet,
    _materials,
    _regions,
    _muscles,
    _kept_joints,
    _resistances,
    _bones,
    with_fibres,
    with_per_tet,
    _joints,
    _pins,
    _loads,
    with_actuators,
    _rest,
)
