"""Who may open a page: by which address, from which site, with which token.

A browser lets any web site open `ws://127.0.0.1:8080`, and a name of that site may be made to
point at this machine. So the page is known by its own names alone (`Host`), it is opened from
itself alone (`Origin`), and where others may reach it, a secret token is asked for.
"""

from __future__ import annotations

import errno
import ipaddress
import re
import secrets
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from hmac import compare_digest
from typing import TYPE_CHECKING, Protocol
from urllib.parse import parse_qs, quote

from vastus.errors import MissingExtra, VastusError
from vastus.files.safe import reason

if TYPE_CHECKING:
    import viser

LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})
SHORTEST_TOKEN = 16  # characters
TRIES = 1000  # ports after the one asked for
SAFE: Mapping[str, str] = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?", re.ASCII)
_PATH = re.compile(r"(/[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}){0,8}/?", re.ASCII)
# The page asks itself again, so that its cookie is sent though another site had led here.
_ENTER = "<!doctype html><meta charset=utf-8><meta http-equiv=refresh content='0;url=./'>"


class Headers(Protocol):
    """The headers of a request, each with all its values."""

    def get_all(self, key: str) -> Sequence[str]: ...


@dataclass(frozen=True)
class Answer:
    """What is said instead of what was asked for."""

    status: int
    text: str
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Rules:
    """`names` are those of this machine in lower case, None for any; `token` None asks for none."""

    names: frozenset[str] | None
    token: str | None

    def answer(self, path: str, headers: Headers) -> Answer | None:
        """None if the request may pass, or what to answer."""
        host = _only(headers, "Host").lower()
        if not self._known(host):
            return Answer(403, "This page has another address.")
        if not _from_itself(host, headers):
            return Answer(403, "This page is opened by itself alone.")
        where, _, query = path.partition("?")
        if query:
            return self._enter(query, headers)
        if not self._holds_cookie(headers):
            return Answer(403, "Open this page with the address that was printed, token and all.")
        return None if _PATH.fullmatch(where) else Answer(404, "There is nothing here.")

    def _known(self, host: str) -> bool:
        match = _HOST.fullmatch(host)
        return match is not None and (self.names is None or match[1] in self.names)

    def _enter(self, query: str, headers: Headers) -> Answer:
        """Turn a token into a cookie, and drop the rest: a page obeys what its address says."""
        page = {"Content-Type": "text/html; charset=utf-8"}
        if self._opened_by(query):
            return Answer(200, _ENTER, page | {"Set-Cookie": self._cookie()})
        if self._holds_cookie(headers) and "token" not in parse_qs(query):
            return Answer(200, _ENTER, page)
        return Answer(403, "This is not the token of this page.")

    def _opened_by(self, query: str) -> bool:
        given = parse_qs(query).get("token", [""])[0]
        return self.token is not None and _same(given, self.token)

    def _holds_cookie(self, headers: Headers) -> bool:
        if self.token is None:
            return True
        pairs = "; ".join(headers.get_all("Cookie")).split(";")
        return any(_same(pair.strip(), self._pair()) for pair in pairs)

    def _cookie(self) -> str:
        return f"{self._pair()}; Path=/; HttpOnly; SameSite=Strict"

    def _pair(self) -> str:
        """Named by the token, since cookies of all ports of a machine lie together."""
        key = sha256(f"vastus {self.token}".encode()).hexdigest()
        return f"vastus-{key[:8]}={key[8:]}"


def policy(headers: Headers) -> str:
    """What the page may load: itself and nothing from elsewhere; and who may frame it."""
    host = _only(headers, "Host").lower()
    match = _HOST.fullmatch(host)
    if match is None:
        return "default-src 'none'; frame-ancestors 'none'"
    # A policy cannot spell an address of IPv6; 'self' stands for it.
    socket = "" if "[" in host else f"ws://{host} wss://{host} "
    names = sorted(name for name in LOOPBACK | {match[1]} if "[" not in name)
    near = " ".join(f"http://{name}:* https://{name}:*" for name in names)
    return "; ".join(
        (
            "default-src 'self' data: blob:",
            "script-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:",
            "style-src 'self' 'unsafe-inline'",
            f"connect-src 'self' {socket}data: blob:",
            "object-src 'none'; base-uri 'none'; form-action 'none'",
            f"frame-ancestors 'self' {near}",  # a notebook shows the page from another port
        )
    )


def _from_itself(host: str, headers: Headers) -> bool:
    """A browser names the site that opens a websocket; a link typed by hand has no site."""
    if not headers.get_all("Upgrade") and not headers.get_all("Origin"):
        return True
    return _only(headers, "Origin").lower() in (f"http://{host}", f"https://{host}")


def _only(headers: Headers, key: str) -> str:
    """The value of a header that is given once, "" if it is not."""
    values = headers.get_all(key)
    return values[0] if len(values) == 1 else ""


def _same(given: str, secret: str) -> bool:
    """Compared in a time that does not tell how much of it was right."""
    return compare_digest(given.encode("utf-8", "replace"), secret.encode("utf-8", "replace"))


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
        from vastus.app.server import start_guarded
    except ImportError:
        listening.close()
        raise MissingExtra("viser", "app") from None
    rules = Rules(LOOPBACK | {_bracketed(host.lower())} if own else None, token)
    return start_guarded(rules, listening, label)


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
