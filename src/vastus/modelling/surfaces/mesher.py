"""One tet mesh of all parts and of the space around them, and the part that each tet belongs to.

fTetWild takes overlapping, touching and slightly faulty surfaces as they are. The tets around the
parts are kept: they bridge gaps later. Bone has the place before soft tissue.
"""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from scipy.spatial import cKDTree

from vastus.errors import MissingExtra, ModelError
from vastus.geometry.indices import components
from vastus.geometry.queries import nearest_on_surface
from vastus.geometry.signed_distance import enclosed
from vastus.geometry.surface import Surface
from vastus.geometry.tetmesh import TetMesh
from vastus.geometry.topology import Walls, walls
from vastus.modelling.surfaces.body_parts import PRECEDENCE, Part
from vastus.numerics.types import Floats, Ints
from vastus.parts import Tissue

DIAGONAL = 1000.0  # the mesher has absolute thresholds, so it always sees the same size
PASSES, QUALITY = 20, 10.0
COARSEST = 10.0  # edge far away, over the edge inside the parts
# Longest edge, over the diagonal: the mesher puts a box around the parts that grows with it, and
# fills it with the smaller tets of its border.
LONGEST = 0.1
CLOSE = 1 / 3  # of an edge around the parts in which tets are as small as inside
ENVELOPE = 1e-3  # of the diagonal
MOST_CELLS = 4_000_000  # of the table of sizes
_PER_CUBE = 8.5  # tets with edges of about 1 in a volume of 1
# Around a surface, edges grow with the distance r: 8.5 / (1 + r)^3 sums up to half of that.
_PER_SQUARE = _PER_CUBE / 2
# [s] for each tet that is wanted, after the last pass; measured on a core of 2 GHz.
_LAST = 6e-4
NOWHERE = -1
ROUNDS = 10
LEAST_KEPT = 0.9  # of a part's volume in one piece

Watch = Callable[[str], None]


def tets_needed(surface: Surface, size: float | Floats) -> Floats:
    """About how many tets with edges of a `size` [m] are in and around a surface."""
    area = float(surface.areas.sum())
    h = np.asarray(size)
    return np.asarray(_PER_CUBE * abs(surface.volume) / h**3 + _PER_SQUARE * area / h**2)


def tetrahedralise(
    shells: Sequence[Surface],
    sizes: Sequence[float],
    envelope: float | None = None,
    *,
    watch: Watch = lambda _: None,
) -> TetMesh:
    """Tets inside and around the shells, with edges of about `sizes` [m] inside each of them.

    Surfaces are kept to within `envelope` [m], a thousandth of the diagonal unless said; gaps
    smaller than that close. `watch` is told how far it is.
    """
    if find_spec("wildmeshing") is None:
        raise MissingExtra("wildmeshing", "mesh")
    X = np.concatenate([shell.X for shell in shells])
    starts = np.cumsum([0, *(shell.n_vertices for shell in shells[:-1])])
    faces = np.concatenate([s.faces + start for s, start in zip(shells, starts, strict=True)])
    low, diagonal = X.min(axis=0), float(np.linalg.norm(np.ptp(X, axis=0)))
    scale = DIAGONAL / diagonal
    far = min(COARSEST * max(sizes), LONGEST * diagonal)
    origin, steps, table = size_table(shells, sizes, far)
    with TemporaryDirectory() as folder:
        np.savez(
            Path(folder) / "in.npz",
            X=(X - low) * scale,
            faces=faces.astype(np.int32),
            low=(origin - low) * scale,
            steps=steps * scale,
            table=table * scale,
            far=far / diagonal,
            envelope=envelope / diagonal if envelope else ENVELOPE,
            passes=PASSES,
            quality=QUALITY,
        )
        wanted = sum(float(tets_needed(*each)) for each in zip(shells, sizes, strict=True))
        found, T = _run(Path(folder), MesherProgress(wanted, watch))
    return TetMesh(found / scale + low, T.astype(np.int64)).oriented()


class MesherProgress:
    """Tells from what the mesher prints how far it is: pass, tets and about the time left.

    The mesher fits the surfaces in its passes, and makes most of the `wanted` tets after the last.
    """

    def __init__(self, wanted: float, watch: Watch) -> None:
        self._wanted, self._watch = wanted, watch
        self._passes, self._start = 0, 0.0
        watch(f"fitting the surfaces, about {wanted:,.0f} tets wanted")

    def read(self, line: str) -> None:
        """Take in a line that the mesher has printed."""
        turn, tets = re.search(r"/ pass (\d+) /", line), re.match(r"#t = (\d+)", line)
        if turn:
            self._start = self._start or time.monotonic()
            self._passes = int(turn[1]) + 1
            self._watch(self._text)
        elif tets and self._passes:
            made = f"{int(tets[1]):,} of about {self._wanted:,.0f} tets"
            self._watch(f"{self._text}, {made}{self._left}")

    @property
    def _text(self) -> str:
        return f"pass {self._passes} of at most {PASSES}"

    @property
    def _left(self) -> str:
        """About the time left, from the mean of the passes that are over."""
        over = self._passes - 1
        if not over:
            return ""
        mean = (time.monotonic() - self._start) / over
        seconds = mean * (PASSES - over) + _LAST * self._wanted
        if seconds < 120:
            return f", about {seconds:.0f} s left"
        return f", about {seconds / 60:.0f} min left"


def _run(folder: Path, progress: MesherProgress) -> tuple[np.ndarray, np.ndarray]:
    """The vertices and tets that the mesher makes of what is in the folder."""
    # -P: no file of the present folder may pass for a module.
    command = [sys.executable, "-P", "-m", "vastus.modelling.surfaces.mesher_process", str(folder)]
    last = ""
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as mesher:
        try:
            for line in mesher.stdout or ():
                last = line.strip() or last
                progress.read(line)
        except BaseException:
            mesher.kill()
            raise
    out = folder / "out.npz"
    if mesher.returncode or not out.exists():
        raise ModelError(f"the surfaces could not be meshed: {_ending(mesher.returncode, last)}")
    with np.load(out) as made:
        if not len(made["T"]):
            raise ModelError("the surfaces could not be meshed: no tets came out")
        return made["X"], made["T"]


def _ending(code: int, last: str) -> str:
    """How the mesher ended, in words."""
    if code == -signal.SIGKILL:
        return "the mesher was killed, probably for want of memory; give a larger 'size'"
    if code < 0:
        return f"the mesher crashed (signal {-code}); repair the surfaces, or give another 'size'"
    return f"the mesher ended with {code}, saying '{last[:200]}'"


def size_table(
    shells: Sequence[Surface], sizes: Sequence[float], far: float
) -> tuple[Floats, Floats, Floats]:
    """The wanted edge [m] on a grid: where it starts (3,), its steps (3,), and the values.

    It is a part's own size inside the part, and grows with the distance from it up to `far`.
    """
    X = np.concatenate([shell.X for shell in shells])
    low, high = X.min(axis=0) - 2 * min(sizes), X.max(axis=0) + 2 * min(sizes)
    step = max(min(sizes), float(np.prod(high - low) / MOST_CELLS) ** (1 / 3))
    axes = [np.linspace(a, b, max(2, int((b - a) / step))) for a, b in zip(low, high, strict=True)]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    wanted = np.full(len(grid), far)
    for shell, size in zip(shells, sizes, strict=True):
        middles = shell.X[shell.faces].mean(axis=1)
        away = cKDTree(np.concatenate([shell.X, middles])).query(grid)[0] - CLOSE * size
        away[enclosed(shell, grid)] = 0.0
        wanted = np.minimum(wanted, size + np.maximum(away, 0.0))
    steps = np.array([axis[1] - axis[0] for axis in axes])
    return low, steps, wanted.reshape([len(axis) for axis in axes])


def label(mesh: TetMesh, parts: Sequence[Part]) -> Ints:
    """(m,) the position of the part around the middle of each tet, or -1.

    Of several parts of one tissue, the one it is deepest in has it. Each part is one piece: what is
    apart from its largest piece goes to the neighbour it shares most area with. So do tets that
    stick out of bones, on which soft tissue would be impaled.
    """
    inside = np.stack([enclosed(part.surface, mesh.centroids) for part in parts], axis=1)
    labels = np.full(mesh.n_tets, NOWHERE)
    for tissue in PRECEDENCE[::-1]:
        mine = [i for i, part in enumerate(parts) if part.tissue is tissue]
        if mine:
            _claim(labels, mesh, parts, inside, mine)
    between = walls(mesh)
    whole = without_strays(labels, between)
    hard = [i for i, part in enumerate(parts) if part.tissue is Tissue.BONE]
    whole = without_spikes(whole, between, hard)
    for i, part in enumerate(parts):
        before, after = (float(mesh.volumes[found == i].sum()) for found in (labels, whole))
        if not after:
            raise ModelError(
                f"part '{part.name}' has no tets: it lies inside others, or is thinner than the "
                "size of the tets; give it a smaller 'size'"
            )
        if after < LEAST_KEPT * before:
            raise ModelError(
                f"part '{part.name}' falls into pieces, the largest with {after / before:.0%} of "
                "its volume: its surface crosses itself, another part cuts it, or it is too thin "
                "for the 'size' of the tets; repair its file, or give it a smaller 'size'"
            )
    return whole


def _claim(
    labels: Ints, mesh: TetMesh, parts: Sequence[Part], inside: np.ndarray, mine: list[int]
) -> None:
    """Give the tets inside parts of one tissue to them."""
    count = inside[:, mine].sum(axis=1)
    for i in mine:
        labels[inside[:, i] & (count == 1)] = i
    shared = np.flatnonzero(count > 1)
    depth = np.full((len(shared), len(mine)), -np.inf)
    for column, i in enumerate(mine):
        rows = np.flatnonzero(inside[shared, i])
        if len(rows):
            middles = mesh.centroids[shared[rows]]
            depth[rows, column] = nearest_on_surface(parts[i].surface, middles).distances
    labels[shared] = np.array(mine)[depth.argmax(axis=1)]


def without_strays(labels: Ints, between: Walls) -> Ints:
    """The labels with each part in one piece, connected through faces."""
    labels = labels.copy()
    for _ in range(ROUNDS):
        same = labels[between.tets[:, 0]] == labels[between.tets[:, 1]]
        piece = components(len(labels), between.tets[same])
        stray = _strays(labels, piece)
        if not stray.any():
            break
        _give_away(labels, piece, stray, between.where(~same))
    return labels


def without_spikes(labels: Ints, between: Walls, chosen: Sequence[int]) -> Ints:
    """The labels, with tets of chosen parts that one face alone ties to their part given away."""
    labels = labels.copy()
    same = labels[between.tets[:, 0]] == labels[between.tets[:, 1]]
    others = np.bincount(between.tets[~same].ravel(), minlength=len(labels))
    spikes = (others == 3) & np.isin(labels, chosen)
    _give_away(labels, np.arange(len(labels)), spikes, between.where(~same))
    return labels


def _strays(labels: Ints, piece: Ints) -> np.ndarray:
    """(pieces,) whether each piece is not the largest of its label; the outside may be in many."""
    sizes = np.bincount(piece)
    owner = np.empty(len(sizes), np.int64)
    owner[piece] = labels
    order = np.lexsort((-sizes, owner))
    first = np.ones(len(order), bool)
    first[1:] = owner[order][1:] != owner[order][:-1]
    stray = np.ones(len(sizes), bool)
    stray[order[first]] = False
    return stray & (owner != NOWHERE)


def _give_away(labels: Ints, piece: Ints, stray: np.ndarray, between: Walls) -> None:
    """Give each stray piece to the label around it that it shares most area with."""
    sides = np.concatenate([between.tets, between.tets[:, ::-1]])
    areas = np.tile(between.areas, 2)
    leaving = stray[piece[sides[:, 0]]]
    here, there, areas = piece[sides[leaving, 0]], labels[sides[leaving, 1]], areas[leaving]
    count = int(labels.max()) + 2
    total = np.bincount(here * count + there + 1, areas, minlength=len(stray) * count)
    taker = total.reshape(len(stray), count).argmax(axis=1) - 1
    moved = stray[piece]
    labels[moved] = taker[piece[moved]]
