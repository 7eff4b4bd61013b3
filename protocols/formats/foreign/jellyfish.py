"""JellyFish's positions (.pos): 16-bit numbers, versions 124 to 126.

Player 1, seat 0, has the negative checkers and moves up the array; 20 is added to each count.
"""

from __future__ import annotations

from struct import pack

from sixprime.engine.position import BAR, MatchState, Position, is_roll
from sixprime.protocols.formats.positionfile import match_of
from sixprime.protocols.formats.reading import MatchReader, Reading, Remark
from sixprime.protocols.formats.record import BadMatchFile, CannotCarry, Match, decode, on_line
from sixprime.protocols.formats.replay import check_cube, check_score

_VERSIONS = (124, 125, 126)
_ADDED = 20
_MOST = 2**15 - 1  # that a number holds


def write_jellyfish(position: Position, state: MatchState, names: tuple[str, str]) -> bytes:
    """Return a position in JellyFish's numbers, version 126; CannotCarry."""
    if state.doubled:
        raise CannotCarry("JellyFish's positions have no double on offer")
    first = position if state.on_roll == 0 else position.flipped()
    board = [0] * (BAR + 1)
    for place in range(1, BAR + 1):
        board[place] -= first.mine[place - 1]
        board[BAR - place] += first.theirs[place - 1]
    if max(state.cube, *state.score) > _MOST:
        raise CannotCarry(f"JellyFish's positions have no cube or score above {_MOST}")
    owner = 0 if state.cube_owner is None else state.cube_owner + 1
    turn = state.on_roll + (3 if state.dice is None else 1)
    jacoby, kind = int(state.jacoby), 1 if state.length else 3
    head = (_VERSIONS[-1], 0, 0, 1, jacoby, 0, state.cube, owner, turn)
    play = (1, 1, 0, kind, 1, 7, state.length, *state.score)  # of two people; the level is 7
    texts = b"".join(bytes([len(name)]) + name for name in map(str.encode, names))
    crawford, last_play = _packed(1, 2 if state.crawford else 1, 0), b"\0"
    placed = _packed(*(count + _ADDED for count in board for _ in range(2)))
    dice = _packed(*(state.dice or (0, 0)))
    return _packed(*head, *play) + texts + crawford + last_play + dice + placed


def _packed(*numbers: int) -> bytes:
    return pack(f"<{len(numbers)}h", *numbers)


class _Bytes:
    """The file, number by number."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def number(self) -> int:
        return int.from_bytes(self._take(2), "little", signed=True)

    def numbers(self, count: int) -> list[int]:
        return [self.number() for _ in range(count)]

    def text(self) -> str:
        return decode(self._take(self._take(1)[0])).replace("\0", "").strip()

    def _take(self, size: int) -> bytes:
        taken = self.data[self.at : self.at + size]
        if len(taken) < size:
            raise BadMatchFile(0, "the file ends too early")
        self.at += size
        return taken


def read_jellyfish(data: bytes) -> Reading:
    """Return the position as a match without moves; BadMatchFile if there is none."""
    with on_line(0):
        match, remarks = _match(_Bytes(data))
    return Reading((match,), remarks)


def _match(data: _Bytes) -> tuple[Match, tuple[Remark, ...]]:
    version = data.number()
    if version not in _VERSIONS:
        raise BadMatchFile(0, f"JellyFish has no version {version}")
    if version == _VERSIONS[2]:
        data.numbers(2)
    jacoby = data.numbers(3)[1] if version != _VERSIONS[0] else 0
    cube, owner, on_roll = data.numbers(3)
    _, _, _, kind, opponent, _, length, *score = data.numbers(9)
    money = kind == 3 or length == 0
    names = data.text(), data.text()
    if opponent == 2 and not names[0]:
        names = "JellyFish", names[1]
    _, crawford, _ = data.numbers(3)
    data.text()  # the last play, as it was shown
    dice = abs(data.number()), abs(data.number())
    points = [number - _ADDED for number in data.numbers(2 * (BAR + 1))[::2]]
    seat = int(on_roll in (2, 4))
    position = _position(points)
    rolled = is_roll(dice)
    state = MatchState(
        length=0 if money else _within(length, 999, "the match length"),
        score=(0, 0) if money else (score[0], score[1]),
        on_roll=seat,
        to_act=seat,
        dice=dice if rolled else None,
        cube=cube,
        cube_owner=None if _within(owner, 2, "the cube's owner") == 0 else owner - 1,
        crawford=not money and crawford == 2,
        jacoby=money and jacoby == 1,
    )
    check_cube(cube)
    check_score(state.score)
    if state.length and max(state.score) >= state.length:
        raise BadMatchFile(0, f"a {state.length} point match is over at this score")
    remarks = () if rolled or dice == (0, 0) else (Remark(0, f"no dice show {dice[0]}{dice[1]}"),)
    board = position if seat == 0 else position.flipped()
    return match_of(board, state, names), remarks


def _position(points: list[int]) -> Position:
    """Return the board as seat 0 sees it; the array begins with seat 1's bar."""
    if points[0] < 0 or points[BAR] > 0:
        raise BadMatchFile(0, "a player's checkers are on the other's bar")
    mine = tuple(max(-count, 0) for count in points[1:])
    theirs = tuple(max(count, 0) for count in points[BAR - 1 :: -1])
    return Position(mine, theirs).checked()


def _within(number: int, high: int, what: str) -> int:
    if not 0 <= number <= high:
        raise BadMatchFile(0, f"{what} is {number}")
    return number


READER = MatchReader(
    "pos",
    "a position of JellyFish",
    (".pos",),
    lambda data: len(data) > 1 and data[1] == 0 and data[0] in _VERSIONS,
    read_jellyfish,
)
