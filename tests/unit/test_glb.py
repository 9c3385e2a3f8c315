"""Coloured surfaces as binary glTF: what a reader of the format finds in the bytes."""

from __future__ import annotations

import io
import json
import struct
from typing import Any

import numpy as np
import pytest
import trimesh

from vastus.app.look import LINEAR, coloured

POINTS = np.array([[0.0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, -3]])
FACES = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2], [0, 2, 1]])
NORMALS = POINTS / np.maximum(np.linalg.norm(POINTS, axis=1, keepdims=True), 1)
RGB = np.array([[0, 0, 0], [255, 255, 255], [128, 10, 200], [1, 2, 3]], np.uint8)


def parsed(data: bytes) -> tuple[dict[str, Any], bytes]:
    """The description and the numbers of a file, its frame checked."""
    magic, version, total = struct.unpack_from("<4sII", data)
    assert (magic, version, total) == (b"glTF", 2, len(data))
    size, kind = struct.unpack_from("<I4s", data, 12)
    assert kind == b"JSON"
    assert size % 4 == 0
    body_size, body_kind = struct.unpack_from("<I4s", data, 20 + size)
    assert body_kind == b"BIN\0"
    assert body_size % 4 == 0
    body = data[28 + size :]
    assert len(body) == body_size
    return json.loads(data[20 : 20 + size]), body


@pytest.mark.parametrize("opacity", [1.0, 0.25, 0.3])
def test_the_bytes_are_a_file_whose_views_fill_it(opacity: float) -> None:
    head, body = parsed(coloured(POINTS, NORMALS, RGB, FACES, opacity=opacity))
    assert head["asset"]["version"] == "2.0"
    assert head["buffers"] == [{"byteLength": len(body)}]
    end = 0
    for view in head["bufferViews"]:
        assert view["byteOffset"] == end
        assert view["byteOffset"] % 4 == 0
        end += view["byteLength"]
    assert end == len(body)
    material = head["materials"][0]
    assert material["pbrMetallicRoughness"]["baseColorFactor"][3] == opacity
    assert material.get("alphaMode", "OPAQUE") == ("OPAQUE" if opacity == 1.0 else "BLEND")


def test_counts_and_limits_are_those_of_the_surface() -> None:
    head, _ = parsed(coloured(POINTS, NORMALS, RGB, FACES))
    place, normal, colour, corner = head["accessors"]
    assert [a["count"] for a in head["accessors"]] == [4, 4, 4, 15]
    assert [a["type"] for a in head["accessors"]] == ["VEC3", "VEC3", "VEC4", "SCALAR"]
    assert (place["min"], place["max"]) == ([0, 0, -3], [1, 2, 0])
    assert colour["normalized"]
    assert place["componentType"] == normal["componentType"] == 5126
    assert (colour["componentType"], corner["componentType"]) == (5121, 5125)


def test_limits_hold_for_the_rounded_numbers_too() -> None:
    """A viewer that checks them sees single precision."""
    points = POINTS + 0.1
    head, body = parsed(coloured(points, NORMALS, RGB, FACES))
    written = np.frombuffer(body, "<f4", 12).reshape(-1, 3)
    assert written.min(axis=0).tolist() == head["accessors"][0]["min"]
    assert written.max(axis=0).tolist() == head["accessors"][0]["max"]


def test_colours_of_a_screen_become_linear() -> None:
    """The curve of sRGB: its ends stay, and the middle of the screen is a fifth of the light."""
    assert (LINEAR[0], LINEAR[255], LINEAR[188]) == (0, 255, 128)
    assert (np.diff(LINEAR.astype(int)) >= 0).all()
    head, body = parsed(coloured(POINTS, NORMALS, RGB, FACES))
    view = head["bufferViews"][2]
    stored = np.frombuffer(body, np.uint8)[view["byteOffset"] :][: view["byteLength"]]
    assert np.array_equal(stored.reshape(-1, 4)[:, :3], LINEAR[RGB])
    assert (stored.reshape(-1, 4)[:, 3] == 255).all()


def test_another_reader_finds_the_same_surface() -> None:
    data = coloured(POINTS, NORMALS, RGB, FACES)
    scene = trimesh.load(io.BytesIO(data), file_type="glb", process=False)
    (mesh,) = scene.geometry.values()
    np.testing.assert_allclose(mesh.vertices, POINTS)
    np.testing.assert_allclose(mesh.vertex_normals, NORMALS, atol=1e-6)
    assert np.array_equal(mesh.faces, FACES)
    assert np.array_equal(mesh.visual.vertex_attributes["color"][:, :3], LINEAR[RGB])


def test_more_points_than_two_bytes_count() -> None:
    points = np.random.default_rng(0).random((70_000, 3))
    faces = np.array([[69_997, 69_998, 69_999]])
    scene = trimesh.load(
        io.BytesIO(coloured(points, points, np.zeros((70_000, 3), np.uint8), faces)),
        file_type="glb",
        process=False,
    )
    (mesh,) = scene.geometry.values()
    assert mesh.faces.tolist() == faces.tolist()
