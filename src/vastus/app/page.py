"""A page in the browser: its server, the desk where its work is done, and what it tells."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from vastus.app.desk import Desk
from vastus.app.gate import address, guarded_server
from vastus.app.light import light
from vastus.app.words import label
from vastus.numerics.types import Floats

if TYPE_CHECKING:
    import viser


UNTOLD = 5  # notes that are kept for the next visitor
AGAIN = 5.0  # [s] after which the same complaint is worth saying again


@dataclass(frozen=True)
class Note:
    """A sentence for visitors, for so many seconds, or until it is closed."""

    title: str
    sentence: str
    seconds: float | None
    colour: str

    def show(self, client: viser.ClientHandle) -> None:
        """Show it to one visitor."""
        client.add_notification(
            label(self.title),
            label(self.sentence, longest=600),
            auto_close_seconds=self.seconds,
            color=self.colour,
        )


class Page:
    """One page that all its visitors share; whatever they do is done at one desk.

    `host` is where it listens; wider than this machine it needs a `token`.
    """

    def __init__(
        self,
        title: str,
        *,
        host: str = "127.0.0.1",
        port: int = 8080,
        token: str | None = None,
    ) -> None:
        self._token = token
        self.server: viser.ViserServer = guarded_server(host, port, token, label(title))
        self.desk = Desk(self.complain)
        self._closed = threading.Event()
        self._complaint = ("", 0.0)  # the last one, and until when it need not be repeated
        self._last: list[Callable[[], None]] = []
        self.server.gui.configure_theme(show_logo=False, show_share_button=False)
        self.server.scene.set_up_direction("+z")
        light(self.server)
        self._untold: deque[Note] = deque(maxlen=UNTOLD)
        self.server.on_client_connect(self._greet)

    @property
    def url(self) -> str:
        """The address to open, token included."""
        return address(self.server, self._token)

    def when(
        self,
        handle: Any,
        job: Callable[[Any], None],
        *,
        key: Hashable | None = None,
        event: str | None = None,
    ) -> None:
        """Do a job when a visitor changes or presses something; it is given the event.

        What the program sets itself starts nothing. With a `key`, only the newest waiting job of
        that key is done.
        """
        name = event or ("on_update" if hasattr(handle, "on_update") else "on_click")

        def happened(what: Any) -> None:
            if what.client is None:
                return
            said = getattr(handle, "value", None) if name == "on_update" else None

            def done() -> None:
                # A job before this one may have shown the document as it was then.
                if said is not None and handle.value != said:
                    handle.value = said
                job(what)

            self.desk.post(done, key=key)

        getattr(handle, name)(happened)

    def when_clicked(self, job: Callable[[Floats, Floats], None], **which: Any) -> None:
        """Do a job when a visitor clicks in the picture; it is given the ray, (3,) each."""

        def clicked(event: Any) -> None:
            ray = np.array(event.ray_origin), np.array(event.ray_direction)
            self.desk.post(lambda: job(*ray), key=job)

        self.server.scene.on_click(**which)(clicked)

    def tell(self, sentence: str, *, title: str = "Vastus", seconds: float | None = 6.0) -> None:
        """Show a sentence to all visitors."""
        self._notify(Note(title, sentence, seconds, "blue"))

    def complain(self, sentence: str) -> None:
        """Show what went wrong to all visitors; it stays until it is closed."""
        if (sentence, True) == (self._complaint[0], time.monotonic() < self._complaint[1]):
            return
        self._complaint = sentence, time.monotonic() + AGAIN
        self._notify(Note("That did not work", sentence, None, "red"))

    def look_from(self, position: Any, target: Any) -> None:
        """Where visitors look from when they arrive, (3,) each [m]."""
        camera = self.server.initial_camera
        camera.position, camera.look_at = tuple(position), tuple(target)

    def aim(self, position: Any, target: Any) -> None:
        """Move the cameras of all visitors, (3,) each [m]."""
        for client in self.server.get_clients().values():
            with client.atomic():
                client.camera.position = tuple(position)
                client.camera.look_at = tuple(target)

    def wait(self) -> None:
        """Wait until the page is closed."""
        self._closed.wait()

    def at_end(self, job: Callable[[], None]) -> None:
        """Do a job when the page ends."""
        self._last.append(job)

    def close(self) -> None:
        """End the page."""
        if not self._closed.is_set():
            self._closed.set()
            self.desk.close()
            try:
                for job in self._last:
                    job()
            finally:
                self.server.stop()

    def __enter__(self) -> Page:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _notify(self, note: Note) -> None:
        """Show a note to all visitors, or to the next one if there is none."""
        clients = self.server.get_clients().values()
        if not clients:
            self._untold.append(note)
        for client in clients:
            note.show(client)

    def _greet(self, client: viser.ClientHandle) -> None:
        while self._untold:
            self._untold.popleft().show(client)
