"""A page in the browser: its server, the queue of its jobs, its lights, notices and lists."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from vastus.app.access import address, guarded_server
from vastus.app.text import label
from vastus.errors import VastusError
from vastus.files.identifiers import unlike
from vastus.numerics.types import Floats

if TYPE_CHECKING:
    import viser

Job = Callable[[], None]
Item = TypeVar("Item")
LOG = logging.getLogger("vastus.app")
LOG.addHandler(logging.NullHandler())  # a traceback is for those who ask for it

WIDTH = 400  # [px] of the panel
NOTHING = "(nothing)"  # in a list of which nothing is chosen
UNTOLD = 5  # notices that are kept for the next visitor
AGAIN = 5.0  # [s] after which the same complaint is worth saying again
# Where key, fill and rim shine from, and how bright; they stand still while the visitor moves.
LIGHTS = {
    "key": ((-1.0, -1.4, 1.6), 1.5),
    "fill": ((1.6, -0.4, 0.4), 0.8),
    "rim": ((0.4, 1.6, 0.8), 1.0),
}
SKY, GROUND, AROUND = (255, 255, 255), (190, 180, 175), 1.5


class Page:
    """One page that all its visitors share; whatever they do is done by one queue.

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
        self.jobs = JobQueue(self.complain)
        self._closed = threading.Event()
        self._complaint = ("", 0.0)  # the last one, and until when it need not be repeated
        self._last: list[Callable[[], None]] = []
        self.server.gui.configure_theme(show_logo=False, show_share_button=False)
        self.server.scene.set_up_direction("+z")
        set_lights(self.server)
        self._untold: deque[Notice] = deque(maxlen=UNTOLD)
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

            self.jobs.post(done, key=key)

        getattr(handle, name)(happened)

    def when_clicked(self, job: Callable[[Floats, Floats], None], **which: Any) -> None:
        """Do a job when a visitor clicks in the picture; it is given the ray, (3,) each."""

        def clicked(event: Any) -> None:
            ray = np.array(event.ray_origin), np.array(event.ray_direction)
            self.jobs.post(lambda: job(*ray), key=job)

        self.server.scene.on_click(**which)(clicked)

    def when_dragged(self, node: Any, job: Callable[[str, Floats, Floats], None]) -> None:
        """Do a job while a visitor drags a node of the picture with the left button.

        It is given the phase, `start`, `update` or `end`, and two places (3,) [m]: where the node
        was taken, and where the pointer is now, as far away as that.
        """

        # Only what the server waits for comes in order.
        async def dragged(event: Any) -> None:
            places = np.array(event.start_position), np.array(event.end_position)
            key = "drag" if event.phase == "update" else None
            self.jobs.post(lambda: job(event.phase, *places), key=key)

        node.on_drag("left")(dragged)

    def tell(self, sentence: str, *, title: str = "Vastus", seconds: float | None = 6.0) -> None:
        """Show a sentence to all visitors."""
        self._notify(Notice(title, sentence, seconds, "blue"))

    def complain(self, sentence: str) -> None:
        """Show what went wrong to all visitors; it stays until it is closed."""
        if (sentence, True) == (self._complaint[0], time.monotonic() < self._complaint[1]):
            return
        self._complaint = sentence, time.monotonic() + AGAIN
        self._notify(Notice("That did not work", sentence, None, "red"))

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

    def dock_panel(self) -> None:
        """Put the panel beside the picture, not over it."""
        panel = self.server.gui.main_panel
        panel.dock_right()
        panel.set_width(WIDTH)

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
            self.jobs.close()
            try:
                for job in self._last:
                    job()
            finally:
                self.server.stop()

    def __enter__(self) -> Page:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _notify(self, notice: Notice) -> None:
        """Show a notice to all visitors, or to the next one if there is none."""
        clients = self.server.get_clients().values()
        if not clients:
            self._untold.append(notice)
        for client in clients:
            notice.show(client)

    def _greet(self, client: viser.ClientHandle) -> None:
        while self._untold:
            self._untold.popleft().show(client)


@dataclass(frozen=True)
class Notice:
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


class Choice(Generic[Item]):
    """A drop-down list of things; names that look the same are told apart by a number."""

    def __init__(self, page: Page, title: str, change: Callable[[Item], None]) -> None:
        self._items: dict[str, Item] = {}
        self._handle = page.server.gui.add_dropdown(title, (NOTHING,), disabled=True)
        page.when(self._handle, lambda _: self._changed(change), key=self)

    def offer(self, items: Iterable[tuple[str, Item]], chosen: Item | None) -> None:
        """Offer things by name, one of them chosen; none is chosen if it is not among them."""
        self._items = {}
        for name, item in items:
            self._items[unlike(label(name), (NOTHING, *self._items))] = item
        word = next((w for w, item in self._items.items() if item == chosen), NOTHING)
        words = (*self._items,) if word in self._items else (NOTHING, *self._items)
        self._handle.options = words
        self._handle.value = word
        self._handle.disabled = not self._items

    @property
    def visible(self) -> bool:
        """Whether the list is seen."""
        return bool(self._handle.visible)

    @visible.setter
    def visible(self, visible: bool) -> None:
        self._handle.visible = visible

    def _changed(self, change: Callable[[Item], None]) -> None:
        if self._handle.value in self._items:
            change(self._items[self._handle.value])


@dataclass(eq=False)
class _Alone:
    """A key that no other job has."""


class JobQueue:
    """Does a page's jobs on one thread, so that no two callbacks of the browser ever meet.

    They are done in order; of those waiting under one key only the newest is. A job that fails is
    told to `trouble` as one sentence, and the next is done all the same.
    """

    def __init__(self, trouble: Callable[[str], None]) -> None:
        self._trouble = trouble
        self._waiting: dict[Hashable, Job] = {}
        self._changed = threading.Condition()
        self._open = True
        self._thread = threading.Thread(target=self._work, name="page", daemon=True)
        self._thread.start()

    def post(self, job: Job, *, key: Hashable | None = None) -> None:
        """Let a job be done soon; it takes the place of one that waits under the same key.

        A closed queue takes none.
        """
        with self._changed:
            if self._open:
                self._waiting[_Alone() if key is None else key] = job
                self._changed.notify()

    @property
    def waiting(self) -> int:
        """How many jobs wait."""
        return len(self._waiting)

    def close(self) -> None:
        """Do no more jobs, and wait for the present one."""
        with self._changed:
            self._open = False
            self._waiting.clear()
            self._changed.notify()
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout=5.0)

    def _work(self) -> None:
        while (job := self._next()) is not None:
            try:
                self._do(job)
            except Exception:  # not even the trouble could be told
                LOG.exception("trouble of the page could not be told")

    def _do(self, job: Job) -> None:
        try:
            job()
        except VastusError as error:
            self._trouble(str(error))
        except Exception as error:  # the page must live on, whatever happened
            LOG.exception("a job of the page failed")
            self._trouble(f"this failed unexpectedly ({type(error).__name__}: {error})")

    def _next(self) -> Job | None:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or not self._open)
            if not self._open:
                return None
            return self._waiting.pop(next(iter(self._waiting)))


def set_lights(server: viser.ViserServer) -> None:
    """Put lights into a scene, whose up direction is z; viser's own bleach the surfaces."""
    scene = server.scene
    scene.configure_environment_map(None)
    scene.configure_default_lights(enabled=False)
    scene.add_light_hemisphere(
        "/lights/around", sky_color=SKY, ground_color=GROUND, intensity=AROUND
    )
    for name, (position, intensity) in LIGHTS.items():
        scene.add_light_directional(f"/lights/{name}", position=position, intensity=intensity)
