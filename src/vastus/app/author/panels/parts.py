"""Parts: bring surfaces in, say what each is and is made of, and how bones move."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from vastus.app.author.document import Document
from vastus.app.author.editor import ClickMode, Editor
from vastus.app.author.edits import materials, parts, settings
from vastus.app.author.edits import skeleton as bones
from vastus.app.author.edits.materials import Preset, Quantity, preset_of, presets, quantities
from vastus.app.author.importing import loose_files, receive
from vastus.app.text import label, plain
from vastus.app.web_page import Choice
from vastus.modelling.tissues import usual_density
from vastus.numerics.types import Floats
from vastus.parts import Drive, Tissue
from vastus.scene.schema import Unit

ALONE = "(on its own)"
OWN = Preset("numbers of your own", "These numbers are of your own.", ())
Up = tuple[float, float, float]
UPS: list[tuple[str, Up]] = [("z", (0, 0, 1)), ("y", (0, 1, 0)), ("x", (1, 0, 0))]
DRIVES = [
    ("moved by forces", Drive.FREE),
    ("held still", Drive.PINNED),
    ("moved by hand or script", Drive.SCRIPTED),
]


class PartsPanel:
    """Imports surfaces and gives each its name, tissue and place among the bones."""

    def __init__(self, editor: Editor) -> None:
        self._editor = editor
        page, gui = editor.page, editor.page.server.gui
        self._summary = gui.add_markdown("")
        self._add = gui.add_button("Add the files of this folder")
        self._upload = gui.add_upload_button("Upload a surface file")
        self._units = Choice[Unit | None](
            page,
            "Units of the files",
            lambda u: editor.edit(lambda d: settings.set_units(d, u)),
        )
        self._up = Choice[Up](
            page, "Up is", lambda up: editor.edit(lambda d: settings.set_up(d, up))
        )
        self._part = Choice[str](page, "Part", editor.select)
        self._name = gui.add_text("Name", "")
        self._tissue = Choice[Tissue](page, "Tissue", self._set_tissue)
        self._muscle = Choice[str | None](page, "Belongs to muscle", self._set_muscle)
        self._with = Choice[str | None](page, "Moves together with", self._group)
        self._bone = gui.add_text("Name of that bone", "")
        self._drive = Choice[Drive](page, "This bone is", self._set_drive)
        self._file_units = Choice[Unit | None](page, "Units of its file", self._set_file_units)
        self._size = gui.add_number(
            "Edge of its tets [mm]", 0.0, min=0.0, step=0.01, hint="0 is the size under Build."
        )
        self._density = gui.add_number("Density [kg/m³]", 1000.0, min=1.0, step=1.0)
        self._remove = gui.add_button("Remove this part")
        page.when(self._add, lambda _: editor.edit(lambda d: parts.add_parts(d, loose_files(d))))
        page.when(self._upload, self._uploaded, event="on_upload")
        page.when(self._name, lambda _: self._rename(), key="rename")
        page.when(self._bone, lambda _: self._rename_bone(), key="rename bone")
        page.when(self._size, lambda _: self._set_size(), key="part size")
        page.when(self._density, lambda _: self._set_density(), key="density")
        page.when(
            self._remove, lambda _: editor.edit(lambda d: parts.remove_part(d, self._selected))
        )

    @property
    def _selected(self) -> str:
        assert self._editor.selected is not None
        return self._editor.selected

    def refresh(self) -> None:
        """Show the selected part."""
        document, selected = self._editor.document, self._editor.selected
        loose = loose_files(document)
        self._add.visible = bool(loose)
        several = f"{len(loose)} surface files" if len(loose) != 1 else "surface file"
        self._add.label = f"Add the {several} of this folder"
        self._summary.content = self._words()
        units = [(unit.value, unit) for unit in Unit]
        self._units.offer([("found from the size", None), *units], document.surfaces.units)
        self._up.offer(UPS, document.up)
        self._part.offer([(name, name) for name in document.parts], selected)
        said = document.parts.get(selected) if selected else None
        details = (
            self._name, self._tissue, self._file_units, self._size, self._density, self._remove,
        )  # fmt: skip
        for handle in details:
            handle.visible = said is not None
        if selected is None or said is None:
            self._muscle.visible = self._with.visible = self._drive.visible = False
            self._bone.visible = False
            return
        self._name.value = selected
        self._tissue.offer([(t.value, t) for t in Tissue], said.tissue)
        self._refresh_muscle(selected, said.tissue)
        self._refresh_bone(selected, said.tissue)
        self._file_units.offer([("as all files", None), *units], said.units)
        self._size.value = 1e3 * (said.size or 0.0)
        self._density.value = materials.density_of(document, selected)

    def touched(self, part: str, place: Floats) -> None:
        """Select the part."""
        if self._editor.click_mode is ClickMode.SELECT:
            self._editor.select(part)

    def _words(self) -> str:
        files = self._editor.files
        parts = self._editor.document.parts
        lines = [] if parts else ["There are no parts yet: add surface files."]
        for tissue in Tissue:
            names = [plain(name) for name, said in parts.items() if said.tissue is tissue]
            lines += [f"**{tissue.value}**: {', '.join(names)}"] if names else []
        if files.unit is not None:
            size = files.unit.extent * files.unit.unit.metres
            lines.append(f"In {files.unit.unit.value} they span {size:.2f} m.")
        lines += [f"**{plain(p)}**: {plain(s, 300)}" for p, s in files.unreadable.items()]
        return "  \n".join(lines)

    def _refresh_muscle(self, selected: str, tissue: Tissue) -> None:
        document = self._editor.document
        self._muscle.visible = tissue in (Tissue.MUSCLE, Tissue.TENDON)
        own = [("itself", None)] if tissue is Tissue.MUSCLE else []
        others = [(m, m) for m in document.names.muscles if m != selected]
        self._muscle.offer([*own, *others], document.parts[selected].muscle)

    def _refresh_bone(self, selected: str, tissue: Tissue) -> None:
        names, bony = self._editor.document.names, tissue is Tissue.BONE
        self._with.visible = self._drive.visible = bony
        bone = self._bone_of(selected)
        grouped = bony and len(names.bones.get(bone, ())) > 1
        self._bone.visible = grouped
        self._bone.value = bone if grouped else ""
        if bony:
            others = [part for part, t in names.parts.items() if t is Tissue.BONE]
            mates = [part for part in names.bones[bone] if part != selected]
            items = [(ALONE, None), *((part, part) for part in others if part != selected)]
            self._with.offer(items, mates[0] if mates else None)
            self._drive.offer(DRIVES, self._editor.document.drive(bone))

    def _bone_of(self, part: str) -> str:
        bones_of = self._editor.document.names.bones.items()
        return next((bone for bone, members in bones_of if part in members), part)

    def _rename(self) -> None:
        old, new = self._selected, self._name.value

        def renamed(document: Document) -> Document:
            after = parts.rename_part(document, old, new)
            self._editor.selected = next((p for p in after.parts if p not in document.parts), old)
            return after

        self._editor.edit(renamed)

    def _rename_bone(self) -> None:
        bone, new = self._bone_of(self._selected), self._bone.value
        self._editor.edit(lambda d: bones.rename_bone(d, bone, new))

    def _set_tissue(self, tissue: Tissue) -> None:
        self._editor.edit(lambda d: parts.set_tissue(d, self._selected, tissue))

    def _set_muscle(self, muscle: str | None) -> None:
        self._editor.edit(lambda d: parts.set_muscle(d, self._selected, muscle))

    def _set_drive(self, drive: Drive) -> None:
        bone = self._bone_of(self._selected)
        self._editor.edit(lambda d: bones.set_drive(d, bone, drive))

    def _set_file_units(self, units: Unit | None) -> None:
        self._editor.edit(lambda d: parts.set_part_units(d, self._selected, units))

    def _set_size(self) -> None:
        wanted = self._size.value / 1e3 or None
        self._editor.edit(lambda d: parts.set_part_size(d, self._selected, wanted))

    def _set_density(self) -> None:
        density = self._density.value
        usual = usual_density(self._editor.document.parts[self._selected].tissue)
        wanted = None if density == usual else density
        self._editor.edit(lambda d: materials.set_density(d, self._selected, wanted))

    def _group(self, mate: str | None) -> None:
        part, own = self._selected, self._bone_of(self._selected)
        if mate is None:
            members = [p for p in self._editor.document.names.bones[own] if p != part]
            if len(members) == 1:
                self._editor.edit(lambda d: bones.ungroup(d, own))
            elif members:
                self._editor.edit(lambda d: bones.group_bones(d, own, members))
            return
        theirs = self._bone_of(mate)
        together = [*self._editor.document.names.bones[theirs], part]
        name = theirs if len(together) > 2 else f"{mate} and {part}"
        self._editor.edit(lambda d: bones.group_bones(d, name, together))

    def _uploaded(self, event: Any) -> None:
        file = event.target.value
        name = receive(self._editor.document.folder, file.name, file.content)
        self._editor.edit(lambda d: parts.add_part(d, Path(name)))


class MaterialsPanel:
    """Chooses what a tissue, or one region of it, is made of."""

    def __init__(self, editor: Editor) -> None:
        self._editor = editor
        self._name = Tissue.MUSCLE.value
        gui = editor.page.server.gui
        self._what = Choice[str](editor.page, "SurfaceFiles of", self._choose)
        self._preset = Choice[str](editor.page, "Preset", self._set_preset)
        self._sentence = gui.add_markdown("")
        self._folder = gui.add_folder("Its numbers")
        self._numbers: dict[tuple[int, str], Any] = {}

    def refresh(self) -> None:
        """Show the chosen material."""
        regions = self._editor.document.names.regions
        soft = [t.value for t in Tissue if t is not Tissue.BONE]
        names = soft + [name for name, tissue in regions.items() if tissue is not Tissue.BONE]
        if self._name not in names:
            self._name = Tissue.MUSCLE.value
        self._what.offer([(_said(name, soft), name) for name in names], self._name)
        tissue = materials.tissue_of(self._editor.document, self._name)
        laws = materials.laws_of(self._editor.document, self._name)
        chosen = preset_of(laws, tissue) or OWN
        offered = [*presets(tissue), *([OWN] if chosen is OWN else [])]
        self._preset.offer([(p.name, p.name) for p in offered], chosen.name)
        self._sentence.content = plain(chosen.sentence, 200)
        self._show(quantities(laws))

    def touched(self, part: str, place: Floats) -> None:
        """Nothing."""

    def _show(self, found: list[Quantity]) -> None:
        """Make a field for each number, anew only if there are other numbers."""
        wanted = [(q.law, q.name) for q in found]
        if list(self._numbers) != wanted:
            for handle in self._numbers.values():
                handle.remove()
            with self._folder:
                self._numbers = {(q.law, q.name): self._field(q) for q in found}
        for q in found:
            self._numbers[q.law, q.name].value = q.value / _scale(q)

    def _field(self, q: Quantity) -> Any:
        what, _, more = (q.sentence or q.name).partition("; ")
        handle = self._editor.page.server.gui.add_number(
            label(f"{what} [kPa]" if q.unit else what),
            q.value / _scale(q),
            step=1e-4,
            hint=more or f"The parameter '{q.name}'.",
        )
        self._editor.page.when(handle, lambda _: self._set(q, handle.value), key=(q.law, q.name))
        return handle

    def _set(self, q: Quantity, value: float) -> None:
        si = value * _scale(q)
        self._editor.edit(lambda d: materials.set_number(d, self._name, q.law, q.name, si))

    def _choose(self, name: str) -> None:
        self._name = name
        self.refresh()

    def _set_preset(self, name: str) -> None:
        tissue = materials.tissue_of(self._editor.document, self._name)
        preset = next((p for p in presets(tissue) if p.name == name), None)
        if preset is not None:
            self._editor.edit(lambda d: materials.set_material(d, self._name, preset.laws))


def _said(name: str, tissues: list[str]) -> str:
    return f"all {name}" if name in tissues else name


def _scale(q: Quantity) -> float:
    return 1e3 if q.unit else 1.0
