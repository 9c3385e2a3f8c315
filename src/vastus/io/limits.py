"""How much of a file is read: regular files of a bounded size, so that none hangs or fills memory.

Files come from others. A device never ends, a pipe never begins, and a few bytes may announce more
than any machine holds; each is one sentence before it is opened.
"""

from __future__ import annotations

import stat
from pathlib import Path

from vastus.errors import FileError
from vastus.io.files import reason

MIB = 2**20
SCENE = MIB  # a scene, which people write
TEXT = 256 * MIB  # a table, or a line for each frame
GEOMETRY = 2048 * MIB  # a mesh, a surface or a frame
PACKED = 64 * MIB  # what any archive may hold unpacked
RATIO = 100  # and how many times its own size a larger one may

# What Python raises for a text that is not what it should be, or is nested too deeply.
DAMAGED = (
    FileError,
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    ArithmeticError,
    IndexError,
    RecursionError,
)


def regular(path: str | Path, largest: int = GEOMETRY) -> Path:
    """The path, if there is a regular file with no more than `largest` bytes."""
    path = Path(path)
    try:
        found = path.stat()
    except FileNotFoundError:
        raise FileError(f"there is no file '{path}'") from None
    except OSError as error:
        raise FileError(f"cannot read '{path}': {reason(error)}") from None
    except ValueError:
        raise FileError(f"{str(path)!r} is not the name of a file") from None
    if stat.S_ISDIR(found.st_mode):
        raise FileError(f"'{path}' is a folder, not a file")
    if not stat.S_ISREG(found.st_mode):
        raise FileError(f"'{path}' is a device or a pipe, not a file")
    if found.st_size > largest:
        raise FileError(
            f"'{path}' has {found.st_size / MIB:.0f} MiB; at most {largest / MIB:.0f} are read"
        )
    return path


def read_bytes(path: str | Path, largest: int = GEOMETRY) -> bytes:
    """What is in a regular file of bounded size."""
    path = regular(path, largest)
    try:
        return path.read_bytes()
    except OSError as error:
        raise FileError(f"cannot read '{path}': {reason(error)}") from None


def read_text(path: str | Path, largest: int = TEXT) -> str:
    """The text of such a file."""
    try:
        return read_bytes(path, largest).decode("utf-8")
    except UnicodeDecodeError:
        raise FileError(f"'{path}' is not a text file in UTF-8") from None


def unpacked(size: int, archive: int) -> bool:
    """Whether an archive of so many bytes may hold `size` bytes."""
    return size <= min(GEOMETRY, max(PACKED, RATIO * archive))


def brief(value: object) -> str:
    """A value in at most a line, for errors about it."""
    text = " ".join(str(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."
