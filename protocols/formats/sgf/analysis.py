"""The analysis properties of gnubg's SGF (format version 3): text <-> Analysis.

An evaluation in a format version unknown here is left out rather than misread; one that breaks a
version known here refuses the file.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from math import isfinite
from typing import ParamSpec, TypeVar

from sixprime.engine.analysis.values import CubeWorth, EvalContext, Mark, RankedPlay, RolloutResult
from sixprime.engine.position import Play
from sixprime.protocols.formats.record import (
    COUNTS_IN_STATISTICS,
    Analysis,
    BadMatchFile,
    Statistics,
)
from sixprime.protocols.formats.sgf.tree import Node

_VERSIONS = (2, 3)
_ROLLED_PLAY = re.compile(
    r"(?>Score (.*?) Trials (\d++))(?> Output (.*?) StdDev )(.*?)(?: (SK\b.*+))?$", re.DOTALL
)
_ROLLED_CUBE = re.compile(
    r"Eq Trials (\d++)(?> NoDouble Output (.*?) StdDev )(?>(.*?) DoubleTake Output )"
    r"(?>(.*?) StdDev )(.*?)(?: (SK\b.*+))?$",
    re.DOTALL,
)
_FLAGS = {"GB", "GW", "BM", "DO", "BC", "DC", "LU", "A", "DA", "MR", "CR"}

Letters = Callable[[str], Play]  # SGF letters -> play
ToLetters = Callable[[Play], str]
P = ParamSpec("P")
T = TypeVar("T")


# -- reading


def read_analysis(node: Node, seat: int, letters: Letters) -> Analysis | None:
    """Return the analysis in a node; None if there is none."""
    if not _FLAGS & node.properties.keys():
        return None
    try:
        found = _read(node, seat, letters)
    except (ValueError, IndexError, FloatingPointError) as error:
        raise BadMatchFile(node.line, f"a damaged analysis: {error}") from error
    return None if found == Analysis() else found  # gnubg 1.08: LU[-inf], if it has not analysed


def _read(node: Node, seat: int, letters: Letters) -> Analysis:
    chosen, candidates = _candidates(node.properties.get("A", []), letters)
    luck = node.first("LU")
    return Analysis(
        candidates=candidates,
        chosen=chosen,
        cube=_or_none(_cube, node.first("DA")),
        luck=_or_none(_number, luck) if luck else None,
        luck_mark=_luck_mark(node, seat),
        mark=_mark(node, "DO", "BM"),
        cube_mark=_mark(node, "DC", "BC"),
        to_roll_out=_marked(node, len(candidates)),
        roll_out_cube="CR" in node.properties,
    )


def _candidates(values: list[str], letters: Letters) -> tuple[int | None, tuple[RankedPlay, ...]]:
    if not values:
        return None, ()
    candidates = [_or_none(_candidate, value.strip(), letters) for value in values[1:]]
    known = tuple(candidate for candidate in candidates if candidate is not None)
    if len(known) < len(candidates):
        return None, ()  # of another version, or without worth
    chosen = int(values[0])
    return (chosen if 0 <= chosen < len(known) else None), known


def _candidate(value: str, letters: Letters) -> RankedPlay | None:
    words = value.split()
    if words[:1] in (["E"], ["X"]):
        words.insert(0, "")  # a dance has no letters
    if not _known(words[1:]):
        return None
    play = letters(words[0])
    if words[1] == "E":
        numbers = _floats(words[4:10], 6)
        settings = _settings([*words[10:11], *words[12:]])
        return RankedPlay(play, numbers[:5], numbers[5], settings)
    found = _ROLLED_PLAY.search(value)
    if not found:
        raise ValueError("a rollout of a play is not complete")
    score, output, error = _row_of(found[1], 2), _row_of(found[3], 7), _row_of(found[4], 7)
    rollout = RolloutResult(int(found[2]), (output,), (error,), found[5] or "", score[1])
    return RankedPlay(play, output[:5], score[0], rollout)


def _cube(value: str | None) -> CubeWorth | None:
    if value is None:
        return None
    words = value.split()
    if not _known(words):
        return None
    if words[0] == "E":
        settings = _settings(words[3:7])
        numbers = _floats(words[7:], 14)
        return CubeWorth(numbers[:7], numbers[7:], settings)
    found = _ROLLED_CUBE.search(value)
    if not found:
        raise ValueError("a rollout of a cube is not complete")
    outputs = _row_of(found[2], 7), _row_of(found[4], 7)
    errors = _row_of(found[3], 7), _row_of(found[5], 7)
    return CubeWorth(*outputs, RolloutResult(int(found[1]), outputs, errors, found[6] or ""))


def _known(words: list[str]) -> bool:
    """Return whether it is an evaluation or a rollout of a version that we read."""
    return words[:1] in (["E"], ["X"]) and words[1:2] == ["ver"] and int(words[2]) in _VERSIONS


def _settings(words: list[str]) -> EvalContext:
    if len(words) != 4:
        raise ValueError("settings are plies, determinism, noise and pruning")
    plies, deterministic, noise, prune = words
    cubeful = plies.endswith("C")
    return EvalContext(
        int(plies.removesuffix("C")), cubeful, deterministic != "0", _number(noise), prune != "0"
    )


def _row_of(text: str, count: int) -> tuple[float, ...]:
    return _floats(text.split(), count)


def _floats(words: list[str], count: int) -> tuple[float, ...]:
    numbers = tuple(_number(word) for word in words)
    if len(numbers) != count:
        raise ValueError(f"{len(numbers)} numbers where {count} belong")
    return numbers


def _number(word: str) -> float:
    number = float(word)
    if not isfinite(number):
        raise FloatingPointError(f"{word} is not a number")
    return number


def _or_none(reading: Callable[P, T], *words: P.args, **more: P.kwargs) -> T | None:
    """Return the result of `reading`; None for an evaluation that is not finite."""
    try:
        return reading(*words, **more)
    except FloatingPointError:
        return None


def _luck_mark(node: Node, seat: int) -> int:
    for name, colour in (("GW", 0), ("GB", 1)):
        if value := node.first(name):
            return int(value) if colour == seat else -int(value)
    return 0


def _mark(node: Node, doubtful: str, bad: str) -> Mark:
    value = node.first(bad)
    if value is not None:
        return Mark.VERY_BAD if value == "2" else Mark.BAD
    return Mark.DOUBTFUL if doubtful in node.properties else Mark.NONE


def _marked(node: Node, candidates: int) -> tuple[int, ...]:
    words = (node.first("MR") or "").split()
    return tuple(int(word) - 1 for word in words if 0 < int(word) <= candidates)


def read_statistics(node: Node) -> Statistics | None:
    """Return the GS property of a root; None if it is missing or of an unknown form."""
    parts = {value[:2]: value[2:].split() for value in node.properties.get("GS", [])}
    try:
        rows = [tuple(_number(word) for word in parts[name]) for name in ("M:", "C:", "D:")]
    except (KeyError, ValueError, FloatingPointError):
        return None
    return Statistics(*rows) if [len(row) for row in rows] == [16, 44, 14] else None


# -- writing


def write_analysis(analysis: Analysis, seat: int, letters: ToLetters) -> str:
    parts = []
    if analysis.cube is not None:
        parts.append(f"DA[{_cube_text(analysis.cube)}]")
        parts += ["CR[]"] if analysis.roll_out_cube else []
    if analysis.candidates:
        chosen = -1 if analysis.chosen is None else analysis.chosen
        rows = "".join(f"[{_candidate_text(each, letters)}]" for each in analysis.candidates)
        marked = " ".join(str(index + 1) for index in analysis.to_roll_out)
        parts.append(f"A[{chosen}]{rows}MR[{marked}]")
    if analysis.luck is not None:
        parts.append(f"LU[{analysis.luck:.5f}]")
    if analysis.luck_mark:
        colour = "WB"[seat if analysis.luck_mark > 0 else 1 - seat]
        parts.append(f"G{colour}[{abs(analysis.luck_mark)}]")
    parts.append(_mark_text(analysis.mark, "DO", "BM"))
    parts.append(_mark_text(analysis.cube_mark, "DC", "BC"))
    return "".join(parts)


def _candidate_text(candidate: RankedPlay, letters: ToLetters) -> str:
    move, by = letters(candidate.play), candidate.by
    if isinstance(by, EvalContext):
        numbers = " ".join(f"{p:.6f}" for p in (*candidate.probabilities, candidate.equity))
        plies, rest = _settings_text(by)
        return f"{move} E ver 3 {numbers} {plies} 0 {rest}"
    return (
        f"{move} X ver 3 Score {candidate.equity:.10g} {by.cubeless_score:.10g} "
        f"Trials {by.trials} Output {_row(by.outputs[0])} StdDev {_row(by.errors[0])}"
        f"{_rollout_settings(by)}"
    )


def _cube_text(cube: CubeWorth) -> str:
    if isinstance(cube.by, EvalContext):
        plies, rest = _settings_text(cube.by)
        numbers = " ".join(f"{p:.6f}" for p in (*cube.no_double, *cube.double_take))
        return f"E ver 3 {plies} {rest} {numbers}"
    errors = cube.by.errors
    return (
        f"X ver 3 Eq Trials {cube.by.trials} "
        f"NoDouble Output {_row(cube.no_double)} StdDev {_row(errors[0])} "
        f"DoubleTake Output {_row(cube.double_take)} StdDev {_row(errors[1])}"
        f"{_rollout_settings(cube.by)}"
    )


def _settings_text(settings: EvalContext) -> tuple[str, str]:
    plies = f"{settings.plies}{'C' if settings.cubeful else ''}"
    return plies, f"{int(settings.deterministic)} {settings.noise:.6f} {int(settings.prune)}"


def _rollout_settings(rollout: RolloutResult) -> str:
    """Return the settings if gnubg wrote them; it would misread other programs' settings."""
    return f" {rollout.settings}" if rollout.settings.startswith("SK") else ""


def _row(numbers: tuple[float, ...]) -> str:
    return " ".join(f"{number:.10g}" for number in numbers)


def _mark_text(mark: Mark, doubtful: str, bad: str) -> str:
    if mark is Mark.NONE:
        return ""
    return f"{doubtful}[]" if mark is Mark.DOUBTFUL else f"{bad}[{int(mark) - 1}]"


def write_statistics(statistics: Statistics) -> str:
    rows = (statistics.moves, statistics.cube, statistics.dice)
    text = "GS"
    for name, row, counts in zip("MCD", rows, COUNTS_IN_STATISTICS, strict=True):
        numbers = [f"{count:.0f}" for count in row[:counts]] + [f"{n:.6f}" for n in row[counts:]]
        text += f"[{name}:{' '.join(numbers)}]"
    return text
