"""Save the changes, and export what was found and the operated body."""

from __future__ import annotations

from pathlib import Path

from vastus.app.surgery.surgery import Surgery
from vastus.app.text import plain
from vastus.bodies.write import write_body
from vastus.errors import MissingExtra, ModelError
from vastus.report.findings import draw_findings, write_findings

BODY, UNITS = "operated.xml", "units.csv"


class SavePanel:
    """The tab in which files are written."""

    def __init__(self, surgery: Surgery, folder: Path) -> None:
        self._surgery, self._folder = surgery, folder
        page, gui = surgery.page, surgery.page.server.gui
        self._said = gui.add_markdown("")
        save = gui.add_button("Save the changes", icon="device-floppy")
        page.when(save, lambda _: self._save())
        again = gui.add_button("Reload", hint="Take the file as it is on disk.")
        page.when(again, lambda _: surgery.reload())
        gui.add_divider()
        gui.add_markdown(
            f"**Export** to the folder **{plain(folder.name, 120)}**: the findings as a table, the"
            " curves and a plot of the joint, the changes, and the operated body as MJCF with the"
            " numbers of its muscles."
        )
        export = gui.add_button("Export")
        page.when(export, lambda _: self._export())

    def refresh(self) -> None:
        """Say where changes are saved."""
        file = self._surgery.file
        state = (
            "which lists what is shown"
            if file.is_saved(self._surgery.operated.disorders)
            else "**not yet saved**"
        )
        if file.last is None:
            state = "will be made when it is saved"
        self._said.content = f"File of the changes: {plain(str(file.path), 200)}, {state}."

    def _save(self) -> None:
        self._surgery.save()
        self._surgery.page.tell(f"saved in {self._surgery.file.path.name}")

    def _export(self) -> None:
        s, folder = self._surgery, self._folder
        if s.found is None:
            raise ModelError(
                "the findings are still being computed; export them when they are seen"
            )
        changes = None if s.file.last is None else s.file.path
        patient = s.operated.patient
        write_findings(s.found, folder, patient, body=s.source, changes=changes)
        write_body(patient.body, folder / BODY, folder / UNITS)
        try:
            for _ in draw_findings(s.found, folder):
                pass
        except MissingExtra as error:
            s.page.complain(f"all but the plot was written: {error}")
        s.page.tell(f"written to {folder}")
