"""Files read only if they are regular and of a bounded size, and written whole or not at all.

Files come from others. A device never ends, a pipe never begins, and a few bytes may announce more
than any machine holds; each is one sentence before it is opened.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from vastus.errors import FileError

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


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """A temporary path beside `path`, with its suffix, that becomes `path` if all goes well."""
    path = Path(path)
    try:
        handle, name = tempfile.mkstemp(path.suffix, f".{path.stem}-", path.parent)
    except OSError as error:
        raise FileError(f"cannot write '{path}': {reason(error)}") from None
    os.close(handle)
    try:
        yield Path(name)
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, path)
    except OSError as error:
        raise FileError(f"cannot write '{path}': {reason(error)}") from None
    finally:
        with suppress(OSError):
            os.unlink(name)


@contextmanager
def replacing_folder(path: Path, require: Callable[[Path], None]) -> Iterator[Path]:
    """A temporary folder beside `path` that becomes `path` if all goes well.

    `require` raises a `FileError` if what is at `path` may not be replaced, before and after.
    """
    require(path)
    try:
        part = Path(tempfile.mkdtemp("", f".{path.name}-", path.parent))
    except OSError as error:
        raise FileError(f"cannot write '{path}': {reason(error)}") from None
    try:
        (part / "new").mkdir()  # with the permissions that folders have here
        yield part / "new"
        require(path)
        _swap(part / "new", path, part / "old")
    except OSError as error:
        raise FileError(f"cannot write '{path}': {reason(error)}") from None
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _swap(new: Path, path: Path, old: Path) -> None:
    """Put a new folder in place of another, which comes back if that fails."""
    try:
        if path.exists():
            os.replace(path, old)
        os.replace(new, path)
    except BaseException:
        if old.exists() and not path.exists():
            os.replace(old, path)
        raise


def leftovers(path: Path) -> Iterator[Path]:
    """The temporary files of killed processes beside `path`, whose name may be a pattern."""
    return path.parent.glob(f".{path.stem}-????????{path.suffix}")


def write_text(path: str | Path, text: str) -> None:
    """Write a UTF-8 text file whole or not at all."""
    with replacing(path) as part:
        part.write_text(text, encoding="utf-8", newline="\n")


def append_text(path: Path, text: str) -> None:
    """Add text at the end of a UTF-8 file, which is made if it is not there."""
    require_own(path)
    try:
        with path.open("a", encoding="utf-8", newline="") as file:
            file.write(text)
    except OSError as error:
        raise FileError(f"cannot write '{path}': {reason(error)}") from None


def keep_lines(path: Path, count: int) -> None:
    """Drop all but the first `count` lines, or the file itself if there are none."""
    require_own(path)
    if not count:
        path.unlink(missing_ok=True)
    elif path.exists():
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        write_text(path, "".join(lines[:count]))


def require_writable(folder: str | Path) -> None:
    """Raise a `FileError` if files could not be made in this folder, which need not exist yet."""
    folder = Path(folder)
    there = folder.absolute()
    while not os.path.lexists(there):
        there = there.parent
    if not there.is_dir():
        raise FileError(f"cannot write to '{folder}': '{there}' is not a folder")
    if not os.access(there, os.W_OK | os.X_OK):
        raise FileError(f"cannot write to '{folder}': '{there}' is write-protected")


def require_own(path: Path) -> None:
    """Raise a `FileError` if writing here would write elsewhere: through a link, or to a pipe."""
    if path.is_symlink() or (path.exists() and not path.is_file() and not path.is_dir()):
        raise FileError(
            f"cannot write '{path}': it is a link or a device, not a file of this folder"
        )


def make_folder(folder: str | Path) -> Path:
    """Make a folder and those above it, or raise a `FileError`."""
    require_writable(folder)
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"cannot write to '{folder}': {reason(error)}") from None
    return Path(folder)


def reason(error: OSError) -> str:
    """Why the operating system refused, in its own words."""
    return (error.strerror or str(error)).lower()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


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
