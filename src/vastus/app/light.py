"""Light for surfaces of their own colours: the page's usual light bleaches them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import viser

# Where key, fill and rim shine from, and how bright; they stand still while the visitor moves.
LAMPS = {
    "key": ((-1.0, -1.4, 1.6), 1.5),
    "fill": ((1.6, -0.4, 0.4), 0.8),
    "rim": ((0.4, 1.6, 0.8), 1.0),
}
SKY, GROUND, AROUND = (255, 255, 255), (190, 180, 175), 1.5


def light(server: viser.ViserServer) -> None:
    """Put lamps into a scene, whose up direction is z, in place of the usual ones."""
    scene = server.scene
    scene.configure_environment_map(None)
    scene.configure_default_lights(enabled=False)
    scene.add_light_hemisphere(
        "/lamps/around", sky_color=SKY, ground_color=GROUND, intensity=AROUND
    )
    for name, (position, intensity) in LAMPS.items():
        scene.add_light_directional(f"/lamps/{name}", position=position, intensity=intensity)
