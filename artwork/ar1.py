"""The table of the set AR1: 54 pictures, of which the wide one (AR1_045, a train) is not dealt.

Neighbours in the table come from different subjects: a level that takes the first few faces is varied.
"""

from __future__ import annotations

from artwork import animals, nature, places, things
from artwork.brush import Picture

# fmt: off
_PICTURES: tuple[Picture, ...] = (
    nature.apple, things.crown, animals.butterfly, places.sailboat, nature.cactus,
    things.key, animals.owl, nature.cherries, places.lighthouse, things.anchor,
    nature.maple_leaf, animals.crab, nature.pineapple, things.scissors, places.rocket,
    animals.cat, nature.mushroom, things.hourglass, nature.snowflake, places.castle,
    animals.duck, nature.tulip, things.teapot, nature.palm, animals.octopus,
    things.gear, nature.banana, places.windmill, animals.snail, things.lantern,
    nature.fir, animals.elephant, things.hammer, nature.flame, places.airplane,
    animals.penguin, nature.pear, things.guitar, animals.turtle, nature.clover,
    places.house, things.trophy, nature.acorn, animals.seahorse, places.train,
    nature.feather, things.magnet, animals.rabbit, nature.carrot, places.balloon,
    animals.shell, nature.grapes, animals.bee, nature.twig,
)
# fmt: on

AR1: dict[str, Picture] = {f"AR1_{number:03d}": picture for number, picture in enumerate(_PICTURES, start=1)}
"""Picture by face id, in the set's order."""

WIDE: dict[str, tuple[float, float]] = {"AR1_045": (200, 100)}
"""The canvas in units of those that do not fit a face's."""
