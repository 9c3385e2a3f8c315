"""Models and frames draw themselves, in the colours of their tissues or of a field."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

import vastus
from vastus.errors import MissingExtra, ModelError
from vastus.export.export import write
from vastus.model import Model
from vastus.parts import Contact, Region, Tissue
from vastus.pictures.colours import FIELDS, MAPS
from vastus.pictures.picture import beyond
from vastus.results.result import read_result
from vastus.state import Frame, Report, State, rest
from vastus.timeloop import simulate

pytest.importorskip("pyvista", reason="needs the viz extra")


def squeezed(model: Model, level: float = 1.0) -> Frame:
    """A frame with the bar at 70 % of its length."""
    still = rest(model)
    x = model.mesh.X * [0.7, 1.0, 1.0]
    state = State.still(0.5, x, still.poses, np.array([level]))
    return Frame(0, state, Report(True, 1, 0, 0, 0), model=model)


def redder(pixels: np.ndarray) -> int:
    """How many pixels are clearly more red than blue, less those that are the other way round."""
    excess = pixels[..., 0].astype(float) - pixels[..., 2]
    return int((excess > 60).sum() - (excess < -60).sum())


def test_a_model_draws_itself_as_a_png(bar_model: Model) -> None:
    from PIL import Image

    picture = bar_model.plot(height=120)
    with Image.open(BytesIO(picture._repr_png_())) as image:
        assert image.format == "PNG"
        np.testing.assert_array_equal(np.asarray(image), picture.pixels)
    assert picture.pixels.shape[0] == 120
    assert picture.pixels.std() > 15
    assert repr(picture) == f"<Picture of bar at 0 s, {picture.pixels.shape[1]} x 120 pixels>"


def test_a_picture_can_be_saved(bar_model: Model, tmp_path: Path) -> None:
    from PIL import Image

    bar_model.plot(height=64).save(tmp_path / "bar.png")
    with Image.open(tmp_path / "bar.png") as image:
        assert image.height == 64


def test_the_frames_of_a_simulation_know_what_to_draw(bar_model: Model) -> None:
    (frame,) = simulate(bar_model, vastus.Newton(), vastus.ramp(bar_model, seconds=0.0))
    assert frame.model is bar_model
    assert frame.plot(height=64).pixels.std() > 10
    assert "model" not in repr(frame)


def test_a_replayed_frame_knows_its_model(bar_model: Model, tmp_path: Path) -> None:
    frame = squeezed(bar_model)
    write(tmp_path / "out", bar_model, [frame])
    result = read_result(tmp_path / "out")
    again = result.replay(0)
    assert again.model is result.model
    np.testing.assert_array_equal(again.plot(height=64).pixels, frame.plot(height=64).pixels)


def test_a_frame_of_no_model_says_so(bar_model: Model) -> None:
    lost = Frame(0, rest(bar_model), Report(True, 1, 0, 0, 0))
    with pytest.raises(ModelError, match="has no 'model'"):
        lost.plot()


@pytest.mark.parametrize("colour", FIELDS)
def test_every_field_can_be_drawn_with_a_bar_below(bar_model: Model, colour: str) -> None:
    frame = squeezed(bar_model.with_(contact=Contact()))
    frame.state.v[:] = frame.state.x  # faster the farther out
    plain, coloured = frame.plot(height=150), frame.plot(height=150, colour=colour)
    assert coloured.pixels.shape[1] == plain.pixels.shape[1]
    below = coloured.pixels[150:]
    ends = MAPS[FIELDS[colour].map][[0, -1]]
    for rgb in ends:
        assert (below == rgb).all(axis=-1).any(), "the bar lacks an end of its map"


def test_squeezed_fibres_are_blue_and_stretched_ones_red(bar_model: Model) -> None:
    still = rest(bar_model)
    state = replace(still, x=bar_model.mesh.X * [1.3, 1.0, 1.0])
    longer = Frame(0, state, Report(True, 1, 0, 0, 0), model=bar_model)
    short, stretched = (
        redder(frame.plot(height=150, colour="stretch").pixels[:150])
        for frame in (squeezed(bar_model), longer)
    )
    assert short < -500
    assert stretched > 500


def test_limits_and_view_change_the_picture(bar_model: Model) -> None:
    frame = squeezed(bar_model)
    usual = frame.plot(height=100, colour="stretch").pixels
    wide = frame.plot(height=100, colour="stretch", limits=(0.0, 2.0)).pixels
    assert np.abs(usual[:100].astype(float) - wide[:100]).mean() > 1
    end_on = frame.plot(height=100, view=(1.0, 0.0, 0.0)).pixels
    assert end_on.shape[1] < usual.shape[1]


def test_the_bar_says_where_values_go_beyond_it() -> None:
    assert beyond(np.array([0.0, 4e3 * (1 + 1e-12)]), 0.0, 4e3) == (False, False)
    assert beyond(np.array([-1e3, 4e3]), 0.0, 4e3) == (True, False)
    assert beyond(np.array([0.0, 4e6]), 0.0, 4e3) == (False, True)


def test_what_cannot_be_drawn_is_said(bar_model: Model) -> None:
    with pytest.raises(ModelError, match="no field 'heat'; fields: activation, stretch, stress"):
        bar_model.plot(colour="heat")
    with pytest.raises(ModelError, match="'view' must be a direction"):
        bar_model.plot(view=(0, 0, 0))
    with pytest.raises(ModelError, match="0 pixels high"):
        bar_model.plot(height=0)
    with pytest.raises(ModelError, match="increase"):
        bar_model.plot(colour="stress", limits=(1.0, 1.0))
    with pytest.raises(ModelError, match="no contact pressure; only frames of models with contact"):
        bar_model.plot(colour="contact pressure")


def test_without_pyvista_the_extra_is_named(
    bar_model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyvista", None)
    with pytest.raises(MissingExtra, match=r"vastus\[viz\]"):
        bar_model.plot()


def test_a_notebook_shows_a_model_in_tables_with_names_escaped(bar_model: Model) -> None:
    first, *rest_of = bar_model.regions
    named = Region("<script>alert(1)</script>", Tissue.BONE)
    bones = (bar_model.bones[0].__class__("base", (named.name,), bar_model.bones[0].drive),)
    model = bar_model.with_(regions=(named, *rest_of), bones=(*bones, bar_model.bones[1]))
    text = model._repr_html_()
    assert "192" in text
    assert "&lt;script&gt;" in text
    assert "<script" not in text
    assert "stable_neo_hookean (young 60 kPa, poisson 0.45) + active_fibre" in text
    assert first.name == "base"


def test_what_is_printed_is_a_short_table(bar_model: Model, tmp_path: Path) -> None:
    (frame,) = simulate(bar_model, vastus.Newton(), vastus.ramp(bar_model, seconds=0.0))
    write(tmp_path / "out", bar_model, [frame])
    result = read_result(tmp_path / "out")
    texts = [repr(value) for value in (bar_model, frame, result, result.frame(0))]
    for text in texts:
        assert 3 < len(text.splitlines()) < 20
        assert "array(" not in text
    assert texts[0].startswith("Model 'bar'")
    assert "192 tets" in texts[0]
    assert texts[1].startswith("Frame 0 at 0 s: converged, ")
    assert "finished, 1 frames, 0 to 0 s" in texts[2]
    assert "belly_force_N" in texts[2]
    assert texts[3].startswith("frame 0 at 0 s")


def test_a_stored_frame_draws_itself_like_the_one_that_was_written(
    bar_model: Model, tmp_path: Path
) -> None:
    frame = squeezed(bar_model)
    write(tmp_path / "out", bar_model, [frame])
    stored = read_result(tmp_path / "out").frame(0)
    for colour in (None, "stretch"):
        drawn = stored.plot(height=64, colour=colour).pixels
        np.testing.assert_array_equal(drawn, frame.plot(height=64, colour=colour).pixels)
