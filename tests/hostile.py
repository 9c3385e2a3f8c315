"""What the tests of hostile files share: a result to damage, and ways to damage files."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import numpy as np

from vastus.errors import VastusError
from vastus.geometry.penetration import Penetration
from vastus.measure.outputs import Outputs
from vastus.model import Model
from vastus.referee import Distance, Verdict
from vastus.results.frame_rows import write_verdicts
from vastus.results.playback import Playback
from vastus.results.result import REFEREE, read_result
from vastus.results.writer import ResultWriter
from vastus.state import Frame, Report, rest

FILES = (
    "model.npz",
    "state.npz",
    "table.csv",
    "reports.jsonl",
    "poses.jsonl",
    "penetration.csv",
    "referee.json",
    "provenance.json",
    "frames/frame_0000.vtu",
)
SECONDS = 20  # generous: a busy machine is not a hang


def write_small(folder: Path, model: Model) -> None:
    """A result of two frames with all its files."""
    state, outputs = rest(model), Outputs(model)
    report = Report(True, 3, 1e-9, 1.0, 0.5, history=(1.0, 1e-9))
    inside = (Penetration("base", "belly", 1e-3, 1e-9),)
    with ResultWriter(folder, model) as writer:
        for i in range(2):
            writer.add(Frame(i, state, report, outputs.of(state), inside))
    distance = Distance(1e-3, 1e-4, 0.1, "", 1.0, "belly", 5.0)
    write_verdicts(folder / REFEREE, None, [Verdict(0, 0.0, 1.0, 2.0, distance)])


def read_all(folder: Path) -> None:
    """Read each number that a page, a report or an export would."""
    result = read_result(folder)
    for moment in Playback(result):
        assert np.isfinite(moment.x).all()
        result.replay(moment.index)


def outcome(read: Callable[[], object]) -> str:
    """The sentence of the error that reading raised, "" if it went well; no other error passes."""
    try:
        with at_most(SECONDS):
            read()
    except VastusError as error:
        sentence = str(error)
        assert sentence
        assert len(sentence) < 2000
        return sentence
    return ""


@contextmanager
def at_most(seconds: int) -> Iterator[None]:
    """Fail, from inside of Python, what takes longer."""

    def late(_: int, __: FrameType | None) -> None:
        raise AssertionError(f"it took more than {seconds} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def damaged(contents: bytes, rng: np.random.Generator) -> bytes:
    """The contents cut off, with bytes changed, or with a stretch removed, repeated or zeroed."""
    size = len(contents)
    a, b = sorted(rng.integers(0, size + 1, 2).tolist())
    ways: list[Callable[[], bytes]] = [
        lambda: contents[:a],
        lambda: _flipped(contents, rng, 1),
        lambda: _flipped(contents, rng, 20),
        lambda: contents[:a] + contents[b:],
        lambda: contents[:b] + contents[a:],
        lambda: contents[:a] + bytes(b - a) + contents[b:],
        lambda: _other_digits(contents, rng),
    ]
    return ways[rng.integers(len(ways))]()


def _flipped(contents: bytes, rng: np.random.Generator, count: int) -> bytes:
    data = np.frombuffer(contents, np.uint8).copy()
    # Heads of files say how the rest is read, so they are changed as often as all the rest.
    reach = len(data) if rng.random() < 0.5 else min(len(data), 400)
    data[rng.integers(0, reach, count)] = rng.integers(0, 256, count)
    return data.tobytes()


def _other_digits(contents: bytes, rng: np.random.Generator) -> bytes:
    """With one digit replaced by a large, negative or strange number."""
    digits = [i for i, byte in enumerate(contents[:5000]) if chr(byte).isdigit()]
    if not digits:
        return b""
    at = digits[rng.integers(len(digits))]
    strange = (b"999999999999", b"-1", b"1e308", b"NaN", b"[", b'"', b"null", b"\x00")
    return contents[:at] + strange[rng.integers(len(strange))] + contents[at + 1 :]
