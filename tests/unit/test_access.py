"""Who may open a page, with real sockets: strangers stay outside, guests stay served."""

from __future__ import annotations

import gc
import http.client
import socket
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

pytest.importorskip("viser", reason="the pages need viser")

import msgspec
import viser
import zstandard
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from patience import patience
from vastus.app import server as servers
from vastus.app.access import address, guarded_server, new_token
from vastus.errors import VastusError

TOKEN = "a-token-for-these-tests-only"  # the same in every process that collects them
VERSION = f"viser-v{viser.__version__}"


@pytest.fixture(scope="module")
def own() -> Iterator[viser.ViserServer]:
    """A page of this machine that asks for no token."""
    server = guarded_server("127.0.0.1", 0, None, "A page")
    server.gui.add_markdown("welcome")
    yield server
    server.stop()


@pytest.fixture(scope="module")
def wide() -> Iterator[viser.ViserServer]:
    """A page that other machines may reach, with a token."""
    server = guarded_server("0.0.0.0", 0, TOKEN, "A page")
    yield server
    server.stop()


def get(server: viser.ViserServer, path: str = "/", **headers: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", server.get_port(), timeout=patience(5))
    connection.putrequest("GET", path, skip_host="Host" in headers)
    for key, value in headers.items():
        connection.putheader(key, value)
    connection.endheaders()
    answer = connection.getresponse()
    answer.body = answer.read()  # type: ignore[attr-defined]
    connection.close()
    return answer


def entered(server: viser.ViserServer) -> str:
    """The cookie that a browser would hold after it had opened the page's address."""
    answer = get(server, f"/?token={TOKEN}")
    assert answer.status == 200
    cookie, *rules = (part.strip() for part in answer.headers["Set-Cookie"].split(";"))
    assert {"HttpOnly", "SameSite=Strict"} <= set(rules)
    return cookie


def visit(server: viser.ViserServer, origin: str | None = "", **headers: str) -> ClientConnection:
    port = server.get_port()
    return connect(
        f"ws://127.0.0.1:{port}",
        origin=f"http://127.0.0.1:{port}" if origin == "" else origin,  # type: ignore[arg-type]
        subprotocols=[VERSION],  # type: ignore[list-item]
        additional_headers=headers,
        compression=None,
        max_size=None,
        open_timeout=patience(10),
    )


def first_messages(socket: ClientConnection) -> set[str]:
    """The kinds of the messages a page begins with."""
    data = socket.recv(timeout=patience(10))
    assert isinstance(data, bytes)
    size, packed = (int.from_bytes(data[i : i + 8], "little") for i in (0, 8))
    inner = zstandard.ZstdDecompressor().decompress(data[16 : 16 + packed], max_output_size=size)
    return {message["type"] for message in msgspec.msgpack.decode(inner)["messages"]}


def listen(guest: ClientConnection) -> None:
    """Until the server ends it."""
    while True:
        guest.recv(timeout=patience(5))


def refused(server: viser.ViserServer, origin: str | None = "", **headers: str) -> int:
    with pytest.raises(InvalidStatus) as refusal:
        visit(server, origin, **headers)
    return refusal.value.response.status_code


def test_the_page_and_its_socket_open_from_this_machine(own: viser.ViserServer) -> None:
    answer = get(own)
    assert answer.status == 200
    assert b"<html" in answer.body[:2000]  # type: ignore[attr-defined]
    with visit(own) as guest:
        assert "GuiMarkdownMessage" in first_messages(guest)


def test_the_page_may_be_framed_by_a_notebook_and_loads_nothing_from_elsewhere(
    own: viser.ViserServer,
) -> None:
    headers = get(own).headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    policy = headers["Content-Security-Policy"]
    assert "frame-ancestors 'self' http://127.0.0.1:* " in policy
    assert "default-src 'self' data: blob:;" in policy
    assert f"connect-src 'self' ws://127.0.0.1:{own.get_port()} " in policy


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example", "http://127.0.0.1:1", "null", "http://127.0.0.1.evil.example", None],
)
def test_no_other_site_opens_the_socket(
    own: viser.ViserServer, wide: viser.ViserServer, origin: str | None
) -> None:
    assert refused(own, origin) == 403
    assert refused(wide, origin, Cookie=entered(wide)) == 403


def test_a_request_with_the_origin_of_another_site_is_refused(own: viser.ViserServer) -> None:
    assert get(own, Origin="https://evil.example").status == 403
    assert get(own, Origin=f"http://127.0.0.1:{own.get_port()}").status == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "127.0.0.1@evil", ""]
)
def test_a_name_that_was_made_to_point_here_is_refused(own: viser.ViserServer, host: str) -> None:
    assert get(own, Host=host).status == 403


@pytest.mark.parametrize("host", ["localhost:9000", "LOCALHOST", "[::1]:80", "127.0.0.1"])
def test_names_of_this_machine_are_known_at_any_forwarded_port(
    own: viser.ViserServer, host: str
) -> None:
    assert get(own, Host=host).status == 200


def test_two_hosts_or_none_are_refused(own: viser.ViserServer) -> None:
    for hosts in (b"", b"Host: localhost\r\nHost: evil.example\r\n"):
        with socket.create_connection(("127.0.0.1", own.get_port()), 5) as raw:
            raw.sendall(b"GET / HTTP/1.1\r\n" + hosts + b"\r\n")
            assert raw.recv(100).startswith(b"HTTP/1.1 403")


def test_without_the_token_nothing_opens(wide: viser.ViserServer) -> None:
    assert get(wide).status == 403
    assert get(wide, "/index.html").status == 403
    assert refused(wide) == 403


@pytest.mark.parametrize(
    "token", ["", "wrong", TOKEN[:-1], TOKEN + "x", "%ff%00", TOKEN.swapcase()]
)
def test_a_wrong_token_opens_nothing(wide: viser.ViserServer, token: str) -> None:
    assert get(wide, f"/?token={token}").status == 403
    assert get(wide, Cookie=f"{entered(wide).partition('=')[0]}={token}").status == 403


def test_the_right_token_becomes_a_cookie_that_opens_page_and_socket(
    wide: viser.ViserServer,
) -> None:
    cookie = entered(wide)
    assert TOKEN not in cookie
    assert get(wide, Cookie=f"other=1; {cookie}").status == 200
    with visit(wide, Cookie=cookie) as guest:
        assert first_messages(guest)


def test_what_the_address_asks_of_the_page_is_dropped(own: viser.ViserServer) -> None:
    """`?websocket=` would lead the page to a stranger's server, whose scripts it would run."""
    answer = get(own, "/?websocket=ws://evil.example")
    assert answer.status == 200
    assert answer.body.startswith(b"<!doctype html><meta")  # type: ignore[attr-defined]
    assert b"evil" not in answer.body  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "path",
    [
        "/../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/..%2f..%2fetc/passwd",
        "/..\\..\\etc\\passwd",
        "//etc/passwd",
        "/" + "a" * 5000,
        "/" + "a/" * 3000 + "%",
        "/index.html%00",
        "/.git",
    ],
)
def test_no_path_leads_out_of_the_page(own: viser.ViserServer, path: str) -> None:
    assert get(own, path).status == 404


def test_fifty_guests_who_leave_abruptly_leave_nothing_behind(own: viser.ViserServer) -> None:
    def come_and_go(_: int) -> set[str]:
        guest = visit(own)
        kinds = first_messages(guest)
        guest.socket.shutdown(socket.SHUT_RDWR)
        guest.close_socket()
        return kinds

    def round_of_guests() -> None:
        with ThreadPoolExecutor(10) as crowd:
            assert all("GuiMarkdownMessage" in kinds for kinds in crowd.map(come_and_go, range(50)))

    round_of_guests()
    threads, blocks = _settled(own)
    round_of_guests()
    assert get(own).status == 200
    with visit(own) as guest:
        assert "GuiMarkdownMessage" in first_messages(guest)
    later = _settled(own)
    assert later[0] <= threads
    assert later[1] - blocks < 50 * 100  # a guest holds far more than a hundred blocks


def _settled(server: viser.ViserServer) -> tuple[int, int]:
    """Threads and blocks of memory once all guests are seen to have left."""
    pause = threading.Event()
    for _ in range(100):
        if not server._websock_server._client_state_from_id:
            break
        pause.wait(0.05)
    pause.wait(0.2)
    gc.collect()
    return threading.active_count(), sys.getallocatedblocks()


def test_garbage_does_not_stop_the_page(own: viser.ViserServer) -> None:
    port = own.get_port()
    half_open = [socket.create_connection(("127.0.0.1", port)) for _ in range(20)]
    for raw in half_open[:10]:
        raw.sendall(b"GET / HTTP/1.1\r\nHost: loc")
    for garbage in (
        b"\x00" * 100_000,
        b"\x16\x03\x01" * 50,
        b"GET\r\n\r\n",
        b"POST / HTTP/1.1\r\n\r\n",
    ):
        with socket.create_connection(("127.0.0.1", port), 5) as raw:
            raw.sendall(garbage)
    for message in (b"", b"\xc1", b"\x80", b"\x81\xa4type\xa1x", "text", b"\x91" * 100_000):
        with visit(own) as guest:
            guest.send(message)
            with pytest.raises(ConnectionClosed):
                listen(guest)
    assert get(own).status == 200
    with visit(own) as guest:
        assert first_messages(guest)
    for raw in half_open:
        raw.close()


def test_a_message_beyond_the_limit_ends_only_its_sender(own: viser.ViserServer) -> None:
    with visit(own) as other, visit(own) as guest:
        first_messages(other)
        guest.socket.sendall(b"\x82\xff" + (10**12).to_bytes(8, "big") + bytes(4))
        with pytest.raises(ConnectionClosed) as end:
            listen(guest)
        assert end.value.rcvd is not None
        assert end.value.rcvd.code == 1009
        other.ping().wait(patience(5))


def test_a_busy_port_gives_the_next_and_the_real_one_is_told(own: viser.ViserServer) -> None:
    server = guarded_server("127.0.0.1", own.get_port(), None, "A page")
    assert server.get_port() > own.get_port()
    assert address(server, None) == f"http://127.0.0.1:{server.get_port()}/"
    server.stop()


def test_addresses_carry_the_token_and_a_name_that_can_be_opened(wide: viser.ViserServer) -> None:
    port = wide.get_port()
    assert address(wide, "a&b") == f"http://127.0.0.1:{port}/?token=a%26b"
    assert address(wide, None, name="::1") == f"http://[::1]:{port}/"


@pytest.mark.parametrize(
    ("host", "port", "token", "sentence"),
    [
        ("0.0.0.0", 0, None, "needs a token"),
        ("0.0.0.0", 0, "short", "at least 16"),
        ("203.0.113.7", 0, TOKEN, "cannot listen on 203.0.113.7"),
        ("no such host", 0, TOKEN, "no address 'no such host'"),
        ("127.0.0.1", 70000, None, "no port 70000"),
    ],
)
def test_what_cannot_be_guarded_is_not_opened(
    host: str, port: int, token: str | None, sentence: str
) -> None:
    with pytest.raises(VastusError, match=sentence):
        guarded_server(host, port, token, "A page")


def test_a_viser_with_another_inside_is_not_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if viser no longer started its server where rules can be put before it."""
    from websockets.asyncio.server import serve

    monkeypatch.setattr(servers, "web", type("Elsewhere", (), {"serve": serve}))
    with pytest.raises(VastusError, match="cannot be guarded"):
        guarded_server("127.0.0.1", 0, None, "A page")


def test_tokens_are_new_and_long() -> None:
    assert new_token() != new_token()
    assert len(new_token()) > 40


def test_the_server_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    server = guarded_server("127.0.0.1", 0, None, "A page")
    with visit(server) as guest:
        guest.send("nonsense")
        with pytest.raises(ConnectionClosed):
            listen(guest)
    server.stop()
    assert capfd.readouterr() == ("", "")


def test_nobody_can_ask_for_a_public_tunnel(own: viser.ViserServer) -> None:
    assert own.request_share_url() is None
