"""The door of the pages: which address they listen on, and what to open in a browser."""

from __future__ import annotations

import errno
import ipaddress
import secrets
import socket
from typing import TYPE_CHECKING
from urllib.parse import quote

from vastus.app.gate_rules import LOOPBACK, Rules
from vastus.errors import MissingExtra, VastusError
from vastus.io.files import reason

if TYPE_CHECKING:
    import viser

SHORTEST_TOKEN = 16  # characters
TRIES = 1000  # ports after the one asked for


def guarded_server(host: str, port: int, token: str | None, label: str) -> viser.ViserServer:
    """A quiet server of pages on the first free port from `port` on, that lets in only its own.

    Beyond this machine (`host` is not a loopback address) it must have a token.
    """
    if token is not None and len(token) < SHORTEST_TOKEN:
        raise VastusError(f"a token has at least {SHORTEST_TOKEN} characters, not {len(token)}")
    listening = _listen(host, port)
    own = ipaddress.ip_address(listening.getsockname()[0]).is_loopback
    if not own and token is None:
        listening.close()
        raise VastusError(f"a page on '{host}' is open to other machines, so it needs a token")
    try:
        from vastus.app.gate_viser import behind_gate
    except ImportError:
        listening.close()
        raise MissingExtra("viser", "app") from None
    rules = Rules(LOOPBACK | {_bracketed(host.lower())} if own else None, token)
    return behind_gate(rules, listening, label)


def new_token() -> str:
    """A secret that cannot be guessed."""
    return secrets.token_urlsafe(32)


def address(server: viser.ViserServer, token: str | None, name: str | None = None) -> str:
    """What to open in a browser; `name` is this machine's for other machines."""
    host = name or server.get_host()
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    query = f"?token={quote(token, safe='')}" if token else ""
    return f"http://{_bracketed(host)}:{server.get_port()}/{query}"


def _listen(host: str, port: int) -> socket.socket:
    """A socket on the first port that is free."""
    if not 0 <= port < 2**16:
        raise VastusError(f"there is no port {port}; ports are 0 (any) to 65535")
    family, ip = _resolved(host)
    for tried in range(port, min(port + TRIES, 2**16)):
        try:
            return socket.create_server((ip, tried), family=family)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise VastusError(f"cannot listen on {host}:{tried}: {reason(error)}") from None
    raise VastusError(f"cannot listen on '{host}': the ports from {port} to {tried} are all in use")


def _resolved(host: str) -> tuple[socket.AddressFamily, str]:
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise VastusError(f"no address '{host}'; give 127.0.0.1 or one of this machine") from None
    # IPv4 first, so that 'localhost' is 127.0.0.1 whatever the order of the machine's table.
    family, *_, where = sorted(found, key=lambda entry: entry[0] != socket.AF_INET)[0]
    return family, str(where[0])


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
