"""One writer a folder: a file that names the process which writes there."""

from __future__ import annotations

import os
import socket
import weakref
from pathlib import Path

from vastus.errors import FileError
from vastus.io.files import reason
from vastus.io.limits import read_text

LOCK = ".lock"
_held: set[Path] = set()


class Lock:
    """Held from its making until `release`, or until it is forgotten or its process ends."""

    def __init__(self, folder: Path) -> None:
        path = folder.resolve() / LOCK  # not where a link would lead
        if not _created(path):
            _remove_stale(path, folder)
            if not _created(path):
                raise FileError(_refusal(path, folder))
        _held.add(path)
        self._finalizer = weakref.finalize(self, _release, path, os.getpid())

    def release(self) -> None:
        """Let others write."""
        self._finalizer()


def _created(path: Path) -> bool:
    """Make the file, unless it is there."""
    try:
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
    except FileExistsError:
        return False
    except OSError as error:
        raise FileError(f"cannot write '{path}': {reason(error)}") from None
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(f"{os.getpid()} {socket.gethostname()}")
    return True


def _remove_stale(path: Path, folder: Path) -> None:
    """Remove the file of a process that is gone; refuse if it may be alive."""
    owner = _owner(path)
    if owner and not _gone(path, *owner):
        raise FileError(_refusal(path, folder))
    aside = path.with_name(f"{LOCK}-{os.getpid()}")
    try:
        os.replace(path, aside)
    except FileNotFoundError:
        return
    # Another process may have removed the stale file and made its own since it was read.
    live = _owner(aside) != owner
    if live and not path.exists():
        os.replace(aside, path)
    aside.unlink(missing_ok=True)


def _owner(path: Path) -> tuple[int, str] | None:
    """The process and its host, or None if there is no file."""
    try:
        pid, _, host = read_text(path).partition(" ")
        return int(pid), host
    except (FileError, ValueError):
        # Being written at this moment, or damaged, or a link.
        return (0, "") if os.path.lexists(path) else None


def _gone(path: Path, pid: int, host: str) -> bool:
    if host != socket.gethostname():
        return False
    if pid == os.getpid():
        return path not in _held
    return not _alive(pid)


def _alive(pid: int) -> bool:
    if os.name == "nt":
        return True  # there, signal 0 is Ctrl-C
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _refusal(path: Path, folder: Path) -> str:
    pid, host = _owner(path) or (0, "")
    who = f"process {pid} on {host}" if pid else "another process"
    return f"'{folder}' is being written by {who}; if that is gone, delete '{folder / LOCK}'"


def _release(path: Path, pid: int) -> None:
    if pid == os.getpid():  # not in a fork
        _held.discard(path)
        path.unlink(missing_ok=True)
