"""Boards of scenes as SVG, and the words below them."""

from __future__ import annotations

from markupsafe import Markup

from sixprime.bot.reports import board_svg
from sixprime.bot.reports.export.scenes import Scene, header, names_of
from sixprime.bot.reports.text import held_ids
from sixprime.protocols.formats.ids import position_id
from sixprime.protocols.formats.record import Match


def board(match: Match, scene: Scene, below: int | None = None, **attributes: object) -> Markup:
    """Return the board with this seat below, or the player on roll; seat 0 is dark.

    The points have the numbers of the player on roll, as the plays beside the board.
    """
    seat = scene.state.on_roll if below is None else below
    shapes = board_svg.empty(from_above=seat != scene.state.on_roll)
    shapes += board_svg.seen_by(seat, scene.position, scene.state)
    size = {"width": board_svg.WIDTH, "height": board_svg.HEIGHT}
    return board_svg.framed(shapes, header(match, scene), **attributes, **size)


def words(match: Match, scene: Scene) -> list[str]:
    """Return the match, the pips and the IDs as lines."""
    state, names = scene.state, names_of(match)
    own, other = scene.position.pips()
    pips = (own, other) if state.on_roll == 0 else (other, own)
    kind = f"{match.length} point match" if match.length else "money"
    crawford = ", Crawford" if state.crawford else ""
    cube = "" if state.cube == 1 else f", cube {state.cube}"
    if state.cube_owner is not None:
        cube += f" with {names[state.cube_owner]}"
    match_id, xgid = held_ids(scene.position, state)
    known = f", Match ID {match_id}" if match_id else ""
    about = [f"{names[n]} {state.score[n]} (pips {pips[n]})" for n in (0, 1)]
    return [
        f"{', '.join(about)}; {kind}{crawford}{cube}",
        f"Position ID {position_id(scene.position)}{known}",
        *([xgid] if xgid else []),
    ]
