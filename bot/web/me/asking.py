"""A question on the board: its fields, and what an answer is worth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sixprime.bot.analysis.collection.quiz import (
    Judgement,
    QuizQuestion,
    judged,
)
from sixprime.bot.process.printable import named
from sixprime.bot.web.library.replaying import cube_fields, play_fields
from sixprime.bot.web.me.training import TrainedQuestion
from sixprime.bot.web.play.boardmatch import ENGINE, YOU, BoardMatch
from sixprime.bot.web.play.fromhere import match_from
from sixprime.bot.web.play.table import DEEDS, checkers_of, shown
from sixprime.engine.analysis.values import What
from sixprime.engine.position import Position
from sixprime.engine.system.errors import InputError
from sixprime.protocols.formats.notation import format_play

PLAYS = ("play", "write")
CUBES = ("roll", "double", "take", "drop", "beaver")
NO_IDEA = "show"
LEVEL = "simple"  # of an opponent that never moves
KINDS = {What.PLAY: "play", What.DOUBLE: "double", What.ANSWER: "answer"}


def board_of(question: QuizQuestion) -> BoardMatch:
    """Return a match at the decision, with the person who decides below."""
    error = question.error
    state = question.analysis.state_at(error)
    if error.what is What.ANSWER:
        state = state.with_(doubled=True, to_act=error.seat)
    return match_from(LEVEL, question.turn.position, state, error.seat)


def answer_of(question: QuizQuestion, deed: str, form: Mapping[str, Any]) -> str:
    """Return the answer that a deed gives, as the quiz reads it; InputError if it is none."""
    if deed == NO_IDEA:
        return NO_IDEA
    if question.error.what is not What.PLAY:
        return deed
    match = board_of(question)
    DEEDS[deed](match, form)
    if not match.may_confirm:
        raise InputError("The play is not complete.")
    return format_play(question.turn.position, match.begun)


def judgement(question: QuizQuestion, answer: str) -> Judgement:
    if answer == NO_IDEA:
        return Judgement(right=False, given=None)
    return judged(question, answer)


def asked(trained: TrainedQuestion, *, may_act: bool) -> dict[str, Any]:
    """Return the fields of the page that asks."""
    question = trained.question
    fields = _seated(question, shown(board_of(question), may_act=may_act))
    plays = sorted(_play_words(question)) if question.error.what is What.PLAY else []
    fields["turn"]["seen"] = fields["seen"] = str(trained.asked)
    return fields | {"offered": plays, "answered": None}


def answered(trained: TrainedQuestion, answer: str) -> dict[str, Any]:
    """Return the fields of the page that shows what an answer is worth, and what is better."""
    question = trained.question
    worth, match = judgement(question, answer), board_of(question)
    is_play = question.error.what is What.PLAY
    if is_play and answer != NO_IDEA:
        DEEDS["write"](match, {"text": answer})
    fields = _seated(question, shown(match, may_act=False))
    after = checkers_of(match.seen()[0].after(match.begun))
    fields["turn"] |= {"seen": f"{trained.asked} answered", "checkers": after, "begun": ()}
    result = question.turn.position.after(match.begun) if match.begun else None
    return fields | {
        "offered": [],
        "answered": {
            "answer": "" if answer == NO_IDEA else answer,
            "right": worth.right,
            "loss": worth.given,
            **_explained(question, result),
        },
    }


def _explained(question: QuizQuestion, result: Position | None) -> dict[str, Any]:
    """Return the fields of what is better; `result` is the position after the answered play."""
    turn, error = question.turn, question.error
    move, cube = turn.move, turn.cube_analysis
    fields: dict[str, Any] = {
        "plays": [], "cube": None, "chosen": None, "given": None, "chances": None,
    }  # fmt: skip
    if error.what is What.PLAY:
        assert move is not None
        after = [turn.position.after(each.play) for each in move.candidates]
        fields["plays"] = [
            play_fields(turn.position, each, move.candidates[0]) for each in move.candidates
        ]
        fields["chosen"] = move.chosen
        fields["given"] = after.index(result) if result in after else None
    else:
        assert cube is not None
        win, gammon, _, lost, _ = cube.outcomes
        if error.seat != turn.seat:
            win, gammon, lost = 1 - win, lost, gammon
        fields["cube"] = cube_fields(cube)
        fields["chances"] = [100 * each for each in (win, gammon, lost)]
    return fields


def _seated(question: QuizQuestion, fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields with the names of the match."""
    players, seat = question.analysis.players, question.error.seat
    names = [""] * 2
    names[YOU], names[ENGINE] = named(players[seat]), named(players[1 - seat])
    return fields | {"names": names, "what": KINDS[question.error.what]}


def _play_words(question: QuizQuestion) -> set[str]:
    move = question.turn.move
    assert move is not None
    return {format_play(question.turn.position, each.play) for each in move.candidates} - {""}
