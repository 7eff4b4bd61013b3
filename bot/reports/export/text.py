"""A match as text with boards, as gnubg draws them: seat 0 is O, seat 1 is X and sits below.

Below each board stands its XGID, which gnubg does not write.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sixprime.bot.process.printable import counted, printable
from sixprime.bot.reports.columns import aligned
from sixprime.bot.reports.export.sceneanalysis import NO_ANALYSES, SceneAnalyses
from sixprime.bot.reports.export.scenes import Act, Scene, ending, facts, header, names_of, standing
from sixprime.bot.reports.text import held_ids, statistics_lines
from sixprime.bot.reports.turns import Line, Told
from sixprime.engine.position import BAR, POINTS, Position
from sixprime.protocols.formats.ids import position_id
from sixprime.protocols.formats.record import Match

_HIGH = 5  # checkers drawn on a point; a digit shows more
_RISING = "-".join(str(n) for n in range(13, 19)), "-".join(str(n) for n in range(19, 25))
_FALLING = "12-11-10--9--8--7", "-6--5--4--3--2--1"
_FIGURES = "     {}6789ABCDEF"


_INDENT = "  "  # of texts of people, which may look like our lines


def document(match: Match, acts: Sequence[Act], analyses: SceneAnalyses = NO_ANALYSES) -> str:
    parts = []
    for act in acts:
        parts += [f"{standing(match, act)}\n", _information(match)]
        parts += [_annotation(act.game.comment.strip())] if act.game.comment.strip() else []
        parts += [_scene(match, scene, analyses.of(scene)) for scene in act.scenes]
        if act.game.result is not None and act.scenes[-1:] != act.scenes[:1]:
            parts.append(f"{ending(match, act.game.result)}\n\n")
        parts += _statistics(match, [act], analyses, f"Game statistics for game {act.number + 1}")
    if len(acts) > 1:
        parts += _statistics(match, acts, analyses, "Match statistics")
    return printable("\n".join(parts))


def _statistics(
    match: Match, acts: Sequence[Act], analyses: SceneAnalyses, title: str
) -> Iterator[str]:
    names, rows = analyses.statistics(match, acts)
    if rows:
        yield "\n".join([title, "", *statistics_lines("", names, rows), "\n"])


def _information(match: Match) -> str:
    lines = [f"{name}: {_indented(text).lstrip()}\n" for name, text in facts(match)]
    return "".join(["Match Information:\n", *lines]) if lines else ""


def _indented(text: str) -> str:
    return "\n".join(f"{_INDENT}{line}".rstrip() for line in text.split("\n"))


def _annotation(text: str) -> str:
    return f"Annotation:\n{_indented(text)}\n"


def _told(told: Sequence[Told]) -> Iterator[str]:
    for each in told:
        if isinstance(each, Line):
            yield each.text
        else:
            rows = enumerate(each.rows)
            starred = [(" *" if place == each.played else "", *row) for place, row in rows]
            yield from ["", *aligned([("", *each.heads), *starred])]
            yield from [each.note, ""] if each.note else [""]


def _scene(match: Match, scene: Scene, told: Sequence[Told]) -> str:
    lines = [f"Move number {scene.number}:  {header(match, scene)}", "", *board(match, scene)]
    own, other = scene.position.pips()
    pips = (own, other) if scene.state.on_roll == 0 else (other, own)
    lines.append(f"Pip counts: O {pips[0]}, X {pips[1]}")
    if xgid := held_ids(scene.position, scene.state)[1]:
        lines.append(xgid)
    lines.append("")
    lines += [f"* {scene.did}", ""] if scene.did else []
    lines += [*_told(told), ""] if told else []
    lines += [f"Marks: {scene.marks}", ""] if scene.marks else []
    lines += [_annotation(scene.comment)] if scene.comment else []
    return "\n".join(lines)


def board(match: Match, scene: Scene) -> list[str]:
    """Return the board with its IDs above and the players beside it."""
    x_rolls = scene.state.on_roll == 1
    seen = scene.position if x_rolls else scene.position.flipped()  # as X sees it
    top, bottom = (_RISING, _FALLING) if x_rolls else (_FALLING, _RISING)
    o_off, x_off = seen.off()[1], seen.off()[0]
    upper = [_row(seen, range(13, 25), seen.theirs[BAR - 1], "O", y, o_off) for y in range(_HIGH)]
    lower = [_row(seen, range(12, 0, -1), seen.mine[BAR - 1], "X", y, x_off) for y in range(_HIGH)]
    beside = _beside(match, scene)
    lines = [f" {'Sixprime':15} Position ID: {position_id(scene.position)}"]
    if match_id := held_ids(scene.position, scene.state)[0]:
        lines.append(f"                 Match ID   : {match_id}")
    lines += [_edge(top) + beside[0]]
    lines += [row + beside[y + 1] for y, row in enumerate(upper) if y < 2] + upper[2:]
    middle = "v" if x_rolls else "^"
    lines += [f"{middle}|{' ' * 18}|BAR|{' ' * 18}|     {beside[3]}"]
    lines += [*lower[:1:-1], lower[1] + beside[4], lower[0] + beside[5]]
    lines += [_edge(bottom) + beside[6]]
    return [line.rstrip() for line in lines]


def _edge(points: tuple[str, str]) -> str:
    return f" +{points[0]}------{points[1]}-+     "


def _row(seen: Position, points: Sequence[int], bar: int, side: str, y: int, off: int) -> str:
    """Return the row `y` from the edge; `off` checkers lie beside it."""
    cells = []
    for point in points:
        mine, theirs = seen.mine[point - 1], seen.theirs[POINTS - point]
        cells.append(_cell(mine or theirs, "X" if mine else "O", y))
    tray = "".join(side if off > _HIGH * column + y else " " for column in range(3))
    left, right = "".join(cells[:6]), "".join(cells[6:])
    return f" |{left}|{_cell(bar, side, y)}|{right}| {tray} "


def _cell(count: int, side: str, y: int) -> str:
    if y == _HIGH - 1:
        return f" {_FIGURES.format(side)[count]} "
    return f" {side} " if count > y else "   "


def _beside(match: Match, scene: Scene) -> list[str]:
    """Return seven texts from the top: O, points, O's action, the match, X's action, points, X."""
    state, names = scene.state, names_of(match)
    points = [counted(n, "point") for n in state.score]
    lines = [f"O: {names[0]}", points[0], "", "", "", points[1], f"X: {names[1]}"]
    if state.doubled:
        lines[4 if state.to_act else 2] = f"Cube offered at {2 * state.cube}"
        return lines
    does = f"Rolled {state.dice[0]}{state.dice[1]}" if state.dice else "On roll"
    lines[4 if state.on_roll else 2] = "" if scene.position.is_over() else does
    length = f"{match.length} point{'' if match.length == 1 else 's'} match" if match.length else ""
    if state.cube_owner is not None:
        lines[6 * state.cube_owner] += f" (Cube: {state.cube})"
        lines[3] = length
    elif match.length == 1:
        lines[3] = length
    elif state.crawford:
        lines[3] = f"{length} (Crawford game)"
    else:
        lines[3] = f"{length} (Cube: {state.cube})".strip()
    return lines
