"""The ten questions of docs/data.md: DuckDB's answers are those of a loop over the analyses."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import sixprime
from sixprime.bot.analysis.collection.parquetfiles import export_decisions
from sixprime.bot.analysis.store import Wanted, keep, packed
from sixprime.bot.analysis.worst import kind_of
from sixprime.bot.archive.archive import Archive
from sixprime.engine.analysis.choices import is_choice_of_double, is_choice_of_plays
from sixprime.engine.analysis.values import (
    Error,
    Mark,
    MatchAnalysis,
    TurnAnalysis,
    What,
    decisions,
)
from sixprime.protocols.formats.ids import position_id
from sixprime.protocols.formats.notation import format_play
from tests.support.archive.imported import add
from tests.support.archive.told import settings_in
from tests.support.places import ROOT
from tests.support.web.manymatches import ANALYSED, SETTINGS, variation
from tests.support.web.manymatches import analysed as analysis_of

pytest.importorskip("duckdb")
PAGE = (ROOT / "docs" / "data.md").read_text()
ME = "SixprimeBot"
QUESTIONS = {
    question: query.replace("'lasse'", f"'{ME}'")
    for question, query in re.findall(r"### (.+?)\n\n```sql\n(.+?)```", PAGE, re.DOTALL)
}


class Seen(NamedTuple):
    """A decision, as a loop over the analyses finds it."""

    match: int
    analysis: MatchAnalysis
    game: int
    turn: int
    what: What
    seat: int
    at: TurnAnalysis
    emg: float
    cost: float
    mark: Mark

    @property
    def me(self) -> bool:
        return self.analysis.players[self.seat] == ME

    @property
    def is_unforced(self) -> bool:
        return self.what is What.PLAY and self.at.move is not None and self.at.move.legal > 1


@pytest.fixture(scope="module")
def analysed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, dict[int, Any]]]:
    """The folder of the decisions of some real matches, and their analyses by number."""
    folder = tmp_path_factory.mktemp("questions")
    found = {}
    with closing(Archive(settings_in(folder))) as archive:
        for i in range(1, ANALYSED):
            match = variation(i, f"player{i % 2}")
            number = add(archive, match)
            assert number is not None
            names = match.players[0].name, match.players[1].name
            found[number] = replace(analysis_of(i), players=names), match
            keep(archive, SETTINGS.key, [(Wanted(number, 0), packed(found[number][0]))])
        export_decisions(archive, folder / "out", SETTINGS.key)
    yield folder / "out", found


def every(found: dict[int, Any]) -> Iterator[Seen]:
    for number, (analysis, _) in found.items():
        for i, game in enumerate(analysis.games):
            for j, turn in enumerate(game.turns):
                for what, seat, verdict in decisions(turn):
                    yield Seen(number, analysis, i, j, what, seat, turn, -verdict.error,
                               -verdict.cost, verdict.mark)  # fmt: skip


def kind(seen: Seen) -> str:
    verdict = next(each for what, _, each in decisions(seen.at) if what is seen.what)
    return kind_of(Error(seen.game, seen.turn, seen.what, seen.seat, verdict), seen.at)


def grouped(
    found: dict[int, Any], key: Callable[[Seen], Any], *, of: Callable[[Seen], bool]
) -> dict[Any, list[Seen]]:
    groups = defaultdict(list)
    for seen in every(found):
        if seen.me and of(seen):
            groups[key(seen)].append(seen)
    return groups


def lost(many: list[Seen]) -> float:
    return sum(seen.emg for seen in many)


def dice(seen: Seen) -> str:
    assert seen.at.dice
    return f"{max(seen.at.dice)}{min(seen.at.dice)}"


def at_score(found: dict[int, Any]) -> list[Any]:
    def away(seen: Seen) -> tuple[int, int]:
        score = seen.analysis.games[seen.game].score
        ours, theirs = (seen.analysis.length - score[seat] for seat in (seen.seat, 1 - seen.seat))
        return ours, theirs

    groups = grouped(
        found, away, of=lambda seen: seen.what is not What.PLAY and seen.mark is not Mark.NONE
    )
    return [(*key, len(many), sum(each.cost for each in many)) for key, many in groups.items()]


def first_plays(found: dict[int, Any]) -> list[Any]:
    def play(seen: Seen) -> tuple[str, str, str]:
        move = seen.at.move
        assert move is not None
        assert move.best is not None
        words = [format_play(seen.at.position, each) for each in (move.played, move.best.play)]
        return dice(seen), words[0], words[1]

    groups = grouped(found, play, of=lambda seen: seen.what is What.PLAY and seen.turn == 0)
    return [(*key, len(many), lost(many)) for key, many in groups.items()]


def by_luck(found: dict[int, Any]) -> list[Any]:
    rows = []
    for number, (analysis, match) in found.items():
        mine = analysis.players.index(ME)
        first, second = (player.luck.cost for player in analysis.statistics)
        rows.append((number, match.winner == mine, (first - second) * (1 if mine == 0 else -1)))
    return rows


def by_error(found: dict[int, Any]) -> list[Any]:
    groups = grouped(found, kind, of=lambda seen: seen.what is not What.PLAY and seen.emg > 0)
    return [(key, len(many), lost(many)) for key, many in groups.items()]


def by_roll(found: dict[int, Any]) -> list[Any]:
    groups = grouped(found, dice, of=lambda seen: seen.is_unforced)
    return [(key, len(many), lost(many) / len(many)) for key, many in groups.items()]


def more_than_once(found: dict[int, Any]) -> list[Any]:
    groups = grouped(
        found,
        lambda seen: (position_id(seen.at.position), dice(seen)),
        of=lambda seen: seen.what is What.PLAY and seen.mark is not Mark.NONE,
    )
    return [(*key, len(many), lost(many)) for key, many in groups.items() if len(many) > 1]


def by_turn(found: dict[int, Any]) -> list[Any]:
    groups = grouped(found, lambda seen: (seen.turn + 1) // 10, of=lambda seen: seen.is_unforced)
    return [(key, lost(many) / len(many)) for key, many in groups.items()]


def by_phase(found: dict[int, Any]) -> list[Any]:
    def phase(seen: Seen) -> tuple[str, str]:
        as_play = Error(seen.game, seen.turn, What.PLAY, seen.seat, next(decisions(seen.at))[2])
        return kind_of(as_play, seen.at), seen.what.value

    def pr(many: list[Seen]) -> float | None:
        counted = sum(map(is_counted, many))
        return (
            500 * lost([seen for seen in many if is_decided(seen)]) / counted if counted else None
        )

    groups = grouped(found, phase, of=lambda seen: True)
    return [(*key, len(many), lost(many), pr(many)) for key, many in groups.items()]


def is_decided(seen: Seen) -> bool:
    """As gnubg counts: unforced plays, close or actual doubles, and answers."""
    if seen.what is What.PLAY:
        return seen.is_unforced
    cube = seen.at.cube_analysis
    return seen.what is What.ANSWER or (cube is not None and (cube.close or cube.doubled))


def is_counted(seen: Seen) -> bool:
    """As XG counts."""
    if seen.what is What.PLAY:
        assert seen.at.move is not None
        worths = [play.equity for play in seen.at.move.candidates]
        return seen.is_unforced and is_choice_of_plays(worths)
    cube = seen.at.cube_analysis
    assert cube is not None
    is_choice = cube.doubled or is_choice_of_double(cube.equities, -seen.emg)
    return seen.what is What.ANSWER or is_choice


def prs(found: dict[int, Any], group: Callable[[Any, Any], Any]) -> dict[Any, tuple[int, float]]:
    """Matches and PR by a word for each match (its analysis, and its record)."""
    sums: dict[Any, list[float]] = defaultdict(lambda: [0, 0.0, 0.0])
    for analysis, match in found.values():
        mine = analysis.statistics[analysis.players.index(ME)]
        one = sums[group(analysis, match)]
        one[0] += 1
        one[1] += -500 * mine.errors.emg
        one[2] += mine.counted
    return {
        word: (int(matches), given / counted) for word, (matches, given, counted) in sums.items()
    }


def by_month(found: dict[int, Any]) -> list[Any]:
    return [
        (month, pr) for month, (_, pr) in prs(found, lambda _, match: f"{match.day:%Y-%m}").items()
    ]


def by_opponent(found: dict[int, Any]) -> list[Any]:
    def theirs(analysis: MatchAnalysis, _: object) -> str:
        pr = analysis.statistics[1 - analysis.players.index(ME)].pr
        assert pr is not None
        return "below 4" if pr < 4 else "4 to 8" if pr < 8 else "above"

    return [(word, *rest) for word, rest in prs(found, theirs).items()]


LOOPS: dict[str, Callable[[dict[int, Any]], list[Any]]] = {
    "In which phase do I lose most?": by_phase,
    "At which scores do my cubes go wrong?": at_score,
    "Which first plays cost most?": first_plays,
    "How much did luck decide?": by_luck,
    "Do I get better?": by_month,
    "Do I double too late or too early?": by_error,
    "Do I play worse against strong opponents?": by_opponent,
    "Which rolls do I misplay?": by_roll,
    "Which position did I misplay more than once?": more_than_once,
    "Do long games tire me?": by_turn,
}


def test_every_question_has_a_loop() -> None:
    assert list(QUESTIONS) == list(LOOPS)


@pytest.mark.parametrize("question", LOOPS)
def test_the_answer_is_that_of_a_loop(question: str, analysed: tuple[Path, dict[int, Any]]) -> None:
    folder, found = analysed
    answer = sixprime.sql(QUESTIONS[question], folder).fetchall()
    expected = LOOPS[question](found)
    assert len(answer) == len(expected)
    for row, other in zip(sorted(answer), sorted(expected), strict=True):
        for value, wanted in zip(row, other, strict=True):
            if isinstance(wanted, float):
                assert value == pytest.approx(wanted, abs=2e-6)
            else:
                assert value == wanted
