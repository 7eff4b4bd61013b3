"""A board as a picture holds what is drawn on it."""

from __future__ import annotations

import re

import pytest

from sixprime.bot.reports.board_svg import draw
from sixprime.engine.position import MatchState, Position

_CUBE = re.compile(
    r'<rect class="cube"[^<]* width="([\d.]+)"[^<]*/>.*?<text class="value"[^<]*'
    r'font-size="(\d+)"[^<]*>(\d+)<'
)
WIDEST = 0.64  # of a digit, for the size of its font


@pytest.mark.parametrize("power", range(1, 21))
def test_every_number_fits_on_the_cube(power: int) -> None:
    picture = draw(Position.start(), MatchState(cube=1 << power))
    ((width, size, number),) = _CUBE.findall(picture)
    assert number == str(1 << power)
    assert WIDEST * int(size) * len(number) <= float(width)
