"""The rules of access put into viser's own server, which has none."""

from __future__ import annotations

import asyncio
import inspect
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from socket import socket
from typing import Any

import rich
import viser
import websockets.asyncio.server as web
from websockets.asyncio.server import ServerConnection
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from vastus.app.access import SAFE, Rules, policy
from vastus.errors import VastusError

_one_at_a_time = threading.Lock()
_log = logging.getLogger("vastus.page")
_log.addHandler(logging.NullHandler())
_log.propagate = False


class GuardedServer(viser.ViserServer):
    """A server with rules of access, which nobody can ask to be shared through another's server."""

    host = ""

    def get_host(self) -> str:
        """Where it listens, which viser was not told."""
        return self.host

    def request_share_url(self, verbose: bool = True) -> str | None:
        """None: a stranger's tunnel would lead past the rules."""
        return None


def start_guarded(rules: Rules, listening: socket, label: str) -> viser.ViserServer:
    """A quiet server on a socket that listens already, or an error if it cannot be guarded."""
    host, port = listening.getsockname()[:2]
    with _one_at_a_time, rich.get_console().capture(), _hooked(rules, listening) as hooks:
        # Port 0 is never opened: the hook gives the socket instead.
        server = GuardedServer("127.0.0.1", 0, label, verbose=False)
    if not hooks or server.get_port() != port:
        server.stop()
        listening.close()
        raise VastusError(
            f"viser {viser.__version__} cannot be guarded as its inside has changed;"
            " the page is not opened: pip install 'viser==1.1.*'"
        )
    server.host = host
    return server


@contextmanager
def _hooked(rules: Rules, listening: socket) -> Iterator[list[str]]:
    """While it lasts, a server that viser starts gets our socket and rules; yields their names."""
    serve, hooks = web.serve, []

    def guarded(handler: Callable[..., Any], *where: Any, **settings: Any) -> Any:
        if not handler.__module__.startswith("viser."):
            return serve(handler, *where, **settings)
        hooks.append(handler.__module__)
        asyncio.get_running_loop().set_exception_handler(_note)
        rich.get_console().begin_capture()
        settings |= {
            "process_request": _with_rules(rules, settings["process_request"]),
            "logger": _log,
        }
        return serve(handler, sock=listening, **settings)

    web.serve = guarded  # type: ignore[assignment,misc]
    try:
        yield hooks
    finally:
        web.serve = serve  # type: ignore[misc]


def _with_rules(rules: Rules, inner: Callable[..., Any]) -> Callable[..., Any]:
    """`inner` with the rules before it and safe headers after it."""

    async def process(connection: ServerConnection, request: Request) -> Response | None:
        _forget_prints()
        answer = rules.answer(request.path, request.headers)
        if answer is not None:
            response = connection.respond(answer.status, answer.text + "\n")
            _put(response.headers, answer.headers)
        else:
            response = inner(connection, request)
            response = await response if inspect.isawaitable(response) else response
        if response is not None:
            _put(response.headers, {**SAFE, "Content-Security-Policy": policy(request.headers)})
        return response

    return process


def _put(headers: Headers, values: Any) -> None:
    for key, value in values.items():
        headers.pop(key, None)
        headers[key] = value


def _forget_prints() -> None:
    """What viser prints on its own thread is caught there, and must not pile up."""
    rich.get_console().end_capture()
    rich.get_console().begin_capture()


def _note(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """A message that makes no sense is noted in the log, not printed as a traceback."""
    _log.warning(context["message"], exc_info=context.get("exception"))
