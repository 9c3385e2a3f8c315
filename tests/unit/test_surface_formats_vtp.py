"""VTP files as VTK writes them, in all its ways, read without VTK."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from vastus.errors import FileError
from vastus.files.meshes import read_surface
from vastus.files.surface_formats import read_vtp

vtk = pytest.importorskip("vtkmodules.all", reason="the files are written by VTK")

MODES = {"ascii": 0, "binary": 1, "raw": 2, "base64": 2}
PACKERS = {"none": 0, "zlib": 1, "lz4": 2, "lzma": 3}
WAYS = list(product(("binary", "raw", "base64"), ("none", "zlib", "lzma"), (32, 64), (0, 1)))


def written(path: Path, body: Any, mode: str, packer: str, word: int, order: int) -> Path:
    writer = vtk.vtkXMLPolyDataWriter()
    writer.SetFileName(str(path))
    writer.SetInputData(body)
    writer.SetDataMode(MODES[mode])
    writer.SetEncodeAppendedData(mode == "base64")
    writer.SetCompressorType(PACKERS[packer])
    writer.SetHeaderType(word)
    writer.SetByteOrder(order)
    writer.SetBlockSize(512)  # several blocks
    assert writer.Write()
    return path


def sphere() -> Any:
    source = vtk.vtkSphereSource()
    source.Update()
    return source.GetOutput()


@pytest.mark.parametrize(("mode", "packer", "word", "order"), [("ascii", "none", 32, 1), *WAYS])
def test_each_way_of_writing_is_read(
    tmp_path: Path, mode: str, packer: str, word: int, order: int
) -> None:
    body = sphere()
    X, faces = read_vtp(str(written(tmp_path / "s.vtp", body, mode, packer, word, order)))
    numpy_of = pytest.importorskip("vtkmodules.util.numpy_support").vtk_to_numpy
    np.testing.assert_allclose(X, numpy_of(body.GetPoints().GetData()), rtol=1e-6)
    expected = numpy_of(body.GetPolys().GetConnectivityArray()).reshape(-1, 3)
    np.testing.assert_array_equal(faces, expected)


def test_strips_keep_the_way_round(tmp_path: Path) -> None:
    """The volume inside is that of the triangles which the strips were made from."""
    stripper = vtk.vtkStripper()
    stripper.SetInputData(sphere())
    stripper.Update()
    strips = written(tmp_path / "strips.vtp", stripper.GetOutput(), "base64", "zlib", 32, 1)
    plain = written(tmp_path / "plain.vtp", sphere(), "base64", "zlib", 32, 1)
    assert stripper.GetOutput().GetNumberOfStrips() > 0
    assert read_surface(strips).volume == pytest.approx(read_surface(plain).volume, rel=1e-6)


def test_polygons_become_triangles(tmp_path: Path) -> None:
    cube = vtk.vtkCubeSource()
    cube.Update()
    found = read_surface(written(tmp_path / "c.vtp", cube.GetOutput(), "raw", "none", 64, 1))
    assert found.n_faces == 12
    assert found.volume == pytest.approx(1.0)


def test_pieces_are_one_surface(tmp_path: Path) -> None:
    piece = (
        '<Piece NumberOfPoints="3" NumberOfPolys="1"><Points><DataArray type="Float32" '
        'NumberOfComponents="3" format="ascii">0 0 {0} 1 0 {0} 0 1 {0}</DataArray></Points><Polys>'
        '<DataArray type="Int32" Name="connectivity" format="ascii">0 1 2</DataArray>'
        '<DataArray type="Int32" Name="offsets" format="ascii">3</DataArray></Polys></Piece>'
    )
    path = tmp_path / "p.vtp"
    body = piece.format(0) + piece.format(1)
    path.write_text(f'<VTKFile type="PolyData"><PolyData>{body}</PolyData></VTKFile>')
    X, faces = read_vtp(str(path))
    assert X[:, 2].tolist() == [0, 0, 0, 1, 1, 1]
    assert faces.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_another_packing_is_named(tmp_path: Path) -> None:
    path = written(tmp_path / "s.vtp", sphere(), "binary", "lz4", 32, 1)
    with pytest.raises(FileError, match="vtkLZ4DataCompressor"):
        read_surface(path)
