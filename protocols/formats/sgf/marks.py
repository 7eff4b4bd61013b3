"""Marks that a person set; SGF has the same properties for the marks of an analysis.

gnubg has BM, DO, BC, DC, GW and GB for both; SGF has TE and IT for good and interesting plays. Our
own `SX[action:bad][luck:2]` on a node says which marks a person set. Without it, these are the
marks that no analysis in the node explains.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from sixprime.engine.analysis.values import Mark
from sixprime.protocols.formats.record import Analysis, Cube, Marks, Opinion, Turn
from sixprime.protocols.formats.sgf.tree import Node, unescape

_GRADES = {Opinion.DOUBTFUL: Mark.DOUBTFUL, Opinion.BAD: Mark.BAD, Opinion.VERY_BAD: Mark.VERY_BAD}
_OPINIONS = {mark: opinion for opinion, mark in _GRADES.items()}
_PRAISE = {Opinion.GOOD: "TE[1]", Opinion.VERY_GOOD: "TE[2]", Opinion.INTERESTING: "IT[]"}
_THRESHOLDS = ((0.03, 0.06, 0.12), (0.04, 0.08, 0.16))  # of gnubg 1.07, and of older ones
_LUCK = (0.3, 0.6)
NO_MARKS = Marks()
A = TypeVar("A", Turn, Cube)


def with_marks(action: Turn | Cube) -> Analysis | None:
    """Return the analysis of an action with the marks that its node gets."""
    marks, analysis = action.marks, action.analysis
    if marks is None:
        return analysis
    analysis = analysis or Analysis()
    return replace(
        analysis,
        mark=analysis.mark if marks.action is None else _GRADES.get(marks.action, Mark.NONE),
        cube_mark=analysis.cube_mark if marks.cube is None else _GRADES.get(marks.cube, Mark.NONE),
        luck_mark=marks.luck or analysis.luck_mark,
    )


def write_marks(action: Turn | Cube) -> str:
    """Return the properties that no analysis has."""
    marks = action.marks or NO_MARKS
    praise = marks.action if marks.action in _PRAISE else None
    text = _PRAISE[praise] if praise else ""
    shown = replace(action, analysis=with_marks(action))
    if _unexplained(shown, praise) == marks:
        return text
    words = {"action": marks.action, "cube": marks.cube}
    said = "".join(f"[{name}:{each.value}]" for name, each in words.items() if each)
    said += f"[luck:{marks.luck}]" if marks.luck else ""
    return f"{text}SX{said or '[]'}"


def read_marks(node: Node, action: A) -> A:
    """Return the action with the marks that a person set, which its analysis then lacks."""
    analysis = action.analysis or Analysis()
    marks = _written(node) if "SX" in node.properties else _unexplained(action, _praise(node))
    if marks == NO_MARKS:
        return action
    rest = replace(
        analysis,
        mark=analysis.mark if marks.action is None else Mark.NONE,
        cube_mark=analysis.cube_mark if marks.cube is None else Mark.NONE,
        luck_mark=0 if marks.luck else analysis.luck_mark,
    )
    return replace(action, marks=marks, analysis=None if rest == Analysis() else rest)


def _written(node: Node) -> Marks:
    words = dict(unescape(each).split(":", 1) for each in node.properties["SX"] if ":" in each)
    known = {each.value: each for each in Opinion}
    luck = words.get("luck", "")
    return Marks(
        action=known.get(words.get("action", "")),
        cube=known.get(words.get("cube", "")),
        luck=int(luck) if luck in ("-2", "-1", "1", "2") else 0,
    )


def _praise(node: Node) -> Opinion | None:
    if "TE" in node.properties:
        return Opinion.VERY_GOOD if node.first("TE") == "2" else Opinion.GOOD
    return Opinion.INTERESTING if "IT" in node.properties else None


def _unexplained(action: Turn | Cube, praise: Opinion | None) -> Marks:
    """Return the marks that the evaluations beside them do not explain."""
    analysis = action.analysis or Analysis()
    luck = analysis.luck_mark
    if analysis.luck is not None:
        size = sum(abs(analysis.luck) > each for each in _LUCK)
        luck = 0 if luck == (size if analysis.luck > 0 else -size) else luck
    own = None if _explained(action, analysis) else _OPINIONS.get(analysis.mark)
    cube = _OPINIONS.get(analysis.cube_mark) if analysis.cube is None else None
    return Marks(action=praise or own, cube=cube, luck=luck)


def _explained(action: Turn | Cube, analysis: Analysis) -> bool:
    if isinstance(action, Cube):
        return analysis.cube is not None
    if not analysis.candidates or analysis.chosen is None:
        return bool(analysis.candidates)
    error = analysis.candidates[0].equity - analysis.candidates[analysis.chosen].equity
    return any(sum(error > each for each in steps) == analysis.mark for steps in _THRESHOLDS)
