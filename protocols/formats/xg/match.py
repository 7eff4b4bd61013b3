"""An .xg or .xgp file as a match, with XG's analysis of every decision.

Player 1 of XG is seat 0. XG's equities are kept unchanged; where our record holds match winning
chances, in cube decisions of a match, our default table converts them, and also converts them back.
XG counts plies from 1, we from 0. A position that XG saved is a match of one game that begins with
its board.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

from sixprime.engine.analysis.values import CubeWorth, RankedPlay, RolloutResult
from sixprime.engine.position import MatchState, Play, Position, Step, Variant, is_roll
from sixprime.engine.search.matchequity import load_table
from sixprime.engine.system.errors import InputError
from sixprime.protocols.formats.draft import (
    VARIANT_UNKNOWN,
    Draft,
    check_length,
    rules_of,
    with_rules_shown,
)
from sixprime.protocols.formats.hops import steps_of
from sixprime.protocols.formats.ids import read_board_integers
from sixprime.protocols.formats.reading import MatchReader, Reading, Remarks
from sixprime.protocols.formats.record import (
    Analysis,
    BadMatchFile,
    BadRecord,
    Cube,
    CubeStep,
    Game,
    Match,
    Player,
    Rules,
    SetBoard,
    Turn,
    on_line,
    one_line,
)
from sixprime.protocols.formats.xg import records
from sixprime.protocols.formats.xg.container import COMMENTS, MAGIC, MATCH, ROLLOUTS, unpack
from sixprime.protocols.formats.xg.levels import ANNOTATOR, by_level
from sixprime.protocols.formats.xg.records import (
    SIZE,
    CubeRecord,
    MatchHead,
    MoveRecord,
    RecordKind,
)
from sixprime.protocols.formats.xg.rtf import comments_of

_UNRATED = (1600.0, 0)  # XG's rating and experience for players without
_VARIANTS = {0: Variant.STANDARD, 1: Variant.NACKGAMMON, 2: Variant.HYPERGAMMON}


class _MatchBuilder:
    """The games of a file while its records are read."""

    def __init__(
        self, head: MatchHead, rules: Rules, files: dict[str, bytes], remarks: Remarks
    ) -> None:
        self.head = head
        self.rules = rules
        self.rollouts = files.get(ROLLOUTS, b"")
        self.comments = comments_of(files[COMMENTS]) if COMMENTS in files else []
        self.games: list[Draft] = []
        self.remarks = remarks
        self.ratings: tuple[float | None, float | None] = (None, None)
        self._at = 0  # the number of the record
        self._lost = True  # no game is being read
        self._cube: tuple[CubeRecord, Analysis] | None = None  # before the roll that comes next
        self._note = ""  # a comment on the game, for its first action

    def record(self, number: int, record: bytes) -> None:
        self._at, kind = number, records.kind_of(record)
        try:
            if kind == RecordKind.GAME:
                self._begin(records.game_head(record))
            elif kind == RecordKind.MATCH_END:
                self.ratings = records.ratings_after(record)
            elif not self._lost:
                self._go_on(kind, record)
        except InputError as error:
            self.remark(number, str(error))
            self._lost = kind == RecordKind.GAME

    def remark(self, number: int, text: str) -> None:
        where = f"game {len(self.games)}, " if self.games else ""
        self.remarks.add(0, f"{where}record {number}: {text}")

    def comment(self, index: int) -> str:
        """Return the comment of this number; empty if there is none."""
        return self.comments[index] if 0 <= index < len(self.comments) else ""

    def _begin(self, head: records.GameHead) -> None:
        self._lost = True
        length = self.head.length
        crawford = head.crawford and length > 1 and length - 1 in head.score
        game = Game(head.score, crawford, cube=1 << head.auto_doubles)
        draft = Draft(0, length, self.rules, game)
        self.games.append(draft)
        self._lost, self._cube, self._note = False, None, self.comment(head.comment)
        if any(head.board):
            self._set_board(0, head.board, head.auto_doubles)

    def _go_on(self, kind: int, record: bytes) -> None:
        if kind == RecordKind.CUBE:
            self._turn_cube(records.cube_record(record))
        elif kind == RecordKind.MOVE:
            self._move(records.move_record(record))
        elif kind == RecordKind.GAME_END:
            winner, points = records.game_end(record)
            if winner is not None and points > 0 and self._draft.actions:
                self._draft.won(0, winner, points)

    @property
    def _draft(self) -> Draft:
        return self.games[-1]

    def _set_board(self, seat: int, board: records.Board, cube: int) -> None:
        """Set the board, as seat 0 sees it, unless it is like that already."""
        seen = _position(board)
        position = seen if seat == 0 else seen.flipped()
        if position == self._draft.position_of(seat) or self._draft.replay.result is not None:
            return
        owner = None if cube == 0 else int(cube < 0)
        actions = self._draft.actions
        begun = len(actions) > 0 and not isinstance(actions[-1], SetBoard)
        self._draft.add_action(0, SetBoard(seat, position, 1 << min(abs(cube), 12), owner))
        if begun:
            self.remark(self._at, "the board was set by hand, and not as the plays left it")

    def _turn_cube(self, cube: CubeRecord) -> None:
        with suppress(BadMatchFile):
            self._set_board(cube.seat, cube.board, cube.cube)
        state = self._draft.replay.state.with_(on_roll=cube.seat, to_act=cube.seat)
        analysis = (
            Analysis(cube=_worth(cube, state, self.rollouts)) if cube.analysed else Analysis()
        )
        if not cube.doubled:
            self._cube = (cube, analysis)
            return
        said = analysis if cube.analysed else None
        draft, other = self._draft, 1 - cube.seat
        draft.add_action(0, Cube(cube.seat, CubeStep.DOUBLE, said, self._noted(cube.comment)))
        for seat, answer in zip((other, cube.seat, other), cube.answers, strict=True):
            step = {0: CubeStep.DROP, 1: CubeStep.TAKE, 2: CubeStep.BEAVER}.get(answer)
            if step is not None:
                draft.add_action(0, Cube(seat, step, said))
            if step is not CubeStep.BEAVER:
                break

    def _move(self, move: MoveRecord) -> None:
        if not is_roll(move.dice):
            raise BadMatchFile(0, f"a roll of {move.dice[0]} and {move.dice[1]}")
        self._set_board(move.seat, move.before, move.cube)
        draft = self._draft
        draft.drop_roll(0, move.seat, move.dice)
        position = draft.position_of(move.seat)
        play, why = _play(position, move) if move.played else (None, "")
        turn = Turn(move.seat, move.dice, play, self._analysis(position, move))
        turn = replace(turn, comment=self._noted(move.comment), illegal=why)
        self._cube = None
        draft.add_action(0, turn)
        if why:
            raise BadMatchFile(0, f"illegal: {why}")

    def _noted(self, index: int) -> str:
        """Return the comment on an action; the comment on a game goes to its first action."""
        note, self._note = self._note, ""
        parts = [note, self.comment(index)]
        if self._cube is not None:
            parts.insert(1, self.comment(self._cube[0].comment))
        return "\n".join(filter(None, parts))

    def _analysis(self, position: Position, move: MoveRecord) -> Analysis | None:
        candidates: list[RankedPlay] = []
        chosen = None
        for each in move.candidates:
            with suppress(InputError):
                found = steps_of(position, list(each.hops), move.dice) if each.hops else ()
                if move.played and chosen is None and each.board == move.after:
                    chosen = len(candidates)
                by = by_level(
                    each.level, records.trials_of(self.rollouts, each.rollout), each.worth
                )
                candidates.append(RankedPlay(found, each.worth[:5], each.worth[5], by))
        cube = self._cube[1].cube if self._cube and self._cube[0].seat == move.seat else None
        if not candidates and cube is None and move.luck is None:
            return None
        luck = None if move.luck is None else round(move.luck, 6)
        return Analysis(candidates=tuple(candidates), chosen=chosen, cube=cube, luck=luck)

    def match(self) -> Match:
        head = self.head
        games = tuple(draft.done() for draft in self.games)
        first, second = (self._player(seat) for seat in (0, 1))
        analysed = any(
            getattr(action, "analysis", None) for game in games for action in game.actions
        )
        match = Match(
            players=(first, second),
            length=head.length,
            rules=self.rules,
            games=games,
            date=head.date.date() if head.date else None,
            place=one_line(head.place),
            event=one_line(head.event),
            round=one_line(head.round),
            annotator=ANNOTATOR if analysed else one_line(head.transcriber),
            comment=self.comment(head.comment),
        )
        return with_rules_shown(match)

    def _player(self, seat: int) -> Player:
        head = self.head
        name = one_line(head.names[seat]) or f"Player {seat + 1}"
        rating, experience = head.ratings[seat], head.experience[seat]
        if (rating, experience) == _UNRATED or not rating or rating < 0:
            return Player(name)
        return Player(
            name, rating, self.ratings[seat] or None, experience if experience > 0 else None
        )


def read_xg(data: bytes) -> Reading:
    """Return the match of an .xg file, or the position of an .xgp file."""
    remarks = Remarks()
    files = unpack(data, remarks)
    content = files[MATCH]
    head = _head(content)
    check_length(0, head.length)
    if head.variation not in _VARIANTS:
        raise BadMatchFile(0, VARIANT_UNKNOWN)
    variant = _VARIANTS[head.variation]
    rules = rules_of(
        head.length, head.crawford, head.jacoby, head.beavers, variant, automatic=head.automatic
    )
    builder = _MatchBuilder(head, rules, files, remarks)
    for number, record in _records(content):
        builder.record(number, record)
    if len(content) % SIZE:
        builder.remark(len(content) // SIZE, "the file ends in the middle of it")
    if not builder.games:
        raise BadMatchFile(0, "no game in it")
    return Reading((builder.match(),), remarks.all())


def _head(content: bytes) -> MatchHead:
    if len(content) < SIZE or content[8] != RecordKind.MATCH:
        raise BadMatchFile(0, "damaged: it does not begin with a match")
    with on_line(0):
        return records.match_head(content[:SIZE])


def _records(content: bytes) -> Iterator[tuple[int, bytes]]:
    for number in range(1, len(content) // SIZE):
        yield number, content[number * SIZE : (number + 1) * SIZE]


def _position(board: records.Board) -> Position:
    """Return the board as the side sees it whose bar is the last place."""
    return read_board_integers([board[25], *board[1:25], abs(board[0])])


def _play(position: Position, move: MoveRecord) -> tuple[Play, str]:
    """Return the play, and the reason why it is illegal; empty if it is not."""
    try:
        play = steps_of(position, list(move.hops), move.dice) if move.hops else ()
    except BadRecord as error:
        return tuple(Step(*hop) for hop in move.hops), str(error)
    with suppress(InputError):
        if position.after(play) != _position(move.after):
            return play, "XG's board after it is another one"
    return play, ""


def _worth(cube: CubeRecord, state: MatchState, rollouts: bytes) -> CubeWorth:
    """Return a cube decision as gnubg's SGF holds it."""
    no_double, double_take = cube.equities
    if state.length:
        chances = load_table().chances(state, cube.seat)
        no_double = chances.mwc(no_double, state.cube)
        double_take = chances.mwc(double_take, state.cube)
    rows = (*cube.no_double, no_double), (*cube.double_take, double_take)
    by = by_level(cube.level, records.trials_of(rollouts, cube.rollout), cube.no_double)
    if isinstance(by, RolloutResult):
        by = replace(by, outputs=rows, errors=((0.0,) * 7,) * 2)
    return CubeWorth(*rows, by)


READER = MatchReader(
    "xg", "an eXtreme Gammon file", (".xg", ".xgp"), lambda data: data[:4] == MAGIC, read_xg
)
