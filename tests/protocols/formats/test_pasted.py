"""What people paste, at every entrance: around IDs stands anything, and nothing is guessed."""

from __future__ import annotations

import json
import random
import re
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlencode

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sixprime.engine.position import MatchState, Position
from sixprime.protocols import readers
from sixprime.protocols.fibs.wire.board import board_of
from sixprime.protocols.formats import pasted
from sixprime.protocols.formats.ids import BadId, match_id, position_id, read_position_id, xgid
from sixprime.protocols.formats.record import BadMatchFile
from sixprime.protocols.formats.replay import board_at_end
from tests.support.formats.ids import (
    QUIET_GNUBG,
    in_xgid,
    random_match,
    random_position,
    states_for_gnubg,
)
from tests.support.gnubg.program import scripted


def test_the_ids_are_found_between_the_labels_that_gnubg_prints() -> None:
    text = " GNU Backgammon  Position ID: 4HPwATDgc/ABMA\n    Match ID   : cAkAAAAAAAAA"
    assert pasted.read_position(text) == (Position.start(), MatchState(jacoby=True))


@pytest.mark.parametrize(
    "form",
    [
        "GNUID={p}:{m}", "GNUID: {p}:{m}", "GNUID=\n{p}:{m}", "`GNUID={p}:{m}`",
        "GNUbg ID: {p}:{m}", "gnubgid={p}:{m}", "set gnubgid {p}:{m}",
        "PositionID: {p}, MatchID: {m}", "Position ID {p} Match ID {m}", "Position-ID: {p}:{m}",
        "Match ID: {m}\nPosition ID: {p}",
        "(Position ID: {p}; Match ID: {m})",
        "({p}:{m})", "{p}:{m}.", "{p}, {m}, then?", "{p}\u00a0{m}", "\ufeff{p}\u200b:{m}",
        "Position ID {p}\r\nMatch ID {m}\r\nand what now?", "What of {p}:{m}? I rolled 31.",
        "Position ID: <tt>{p}</tt> Match ID: <tt>{m}</tt><br/>", "Position ID: {p}Match ID: {m}",
    ],
)  # fmt: skip
def test_ids_are_read_with_the_labels_of_gnubg_and_of_forums(form: str) -> None:
    draw = random.Random(form)
    for _ in range(200):
        position, match = random_position(draw), random_match(draw)
        ids = {"p": position_id(position), "m": match_id(match)}
        text = form.format(**ids)
        link = f"see http://h:8760/position?{urlencode({'id': text})}&look=1"
        assert pasted.read_position(text) == pasted.read_position(link) == (position, match)


def test_an_id_that_begins_like_a_label_is_an_id() -> None:
    assert pasted.read_position("gnuidAAAAAAAAA") == (read_position_id("gnuidAAAAAAAAA"), None)


def test_an_id_of_another_program_is_refused_by_its_name() -> None:
    with pytest.raises(BadId, match="an OGID is not supported; paste"):
        pasted.read_position("OGID=11jjjjjhhhccccc:ooddddd88866666:N0N::W:IW:0:0:1:0")


def test_a_fibs_board_is_a_position_too() -> None:
    position = read_position_id("sGfwATDgc/ABMA")
    match = MatchState(length=5, score=(1, 2), on_roll=0, to_act=0, dice=(6, 4))
    line = board_of(position, match, opponent="them").line()
    assert pasted.read_position(line) == (position, match)


@pytest.mark.parametrize(
    "copied",
    [
        "“{}”",
        "`{}`.",
        "{} 5 points",
        "{}\n5 points",
        "xgid -b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10",
        "XGID: \u2010b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10,",
        "\u2028 {}\n\nX:me   O:you\nScore is X:0 O:0. Unlimited Game",
        "{}X:me   O:youScore is X:0 O:0",  # the same in a field of one line
        "XGID%3D-b----E-C---eE---c-e----B-%3A0%3A0%3A1%3A31%3A0%3A0%3A0%3A0%3A10",
        "http://h:8760/position?id=XGID%3D-b----E-C---eE---c-e----B-%3A0%3A0%3A1%3A31"
        "%3A0%3A0%3A0%3A0%3A10&look=1",
        "XGID=-b----E-C---eE\n---c-e----B-:0:0:1:31:0:0:0:0:10",
    ],
)
def test_an_id_is_read_with_what_was_copied_around_it(copied: str) -> None:
    text = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
    assert pasted.read_position(copied.replace("{}", text)) == pasted.read_position(text)
    assert pasted.read_position("4HPwATDgc%2FABMA%3AcAkAAAAAAAAE") == pasted.read_position(
        "4HPwATDgc/ABMA:cAkAAAAAAAAE"
    )


@pytest.mark.parametrize(
    "position", ["b-b----E-C---eE---c-e----B-", "-b----E-C---eE---c-e----B-:0"]
)
def test_an_id_with_something_too_much_is_not_cut_to_size(position: str) -> None:
    with pytest.raises(BadId):
        pasted.read_position(f"XGID={position}:0:0:1:31:0:0:0:0:10")


OPENING = "4HPwATDgc/ABMA"
OTHER = "sGfwATDgc/ABMA"
MONEY, FIVE_POINTS = "cAkAAAAAAAAE", "cAmzABAAEAAE"
ROLLED_31 = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
ROLLED_61 = ROLLED_31.replace("31", "61")


BOARD = board_of(Position.start(), MatchState(), opponent="them").line()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (ROLLED_31, ROLLED_61),
        (OPENING, OTHER),
        (f"{OPENING}:{MONEY}", f"{OPENING}:{FIVE_POINTS}"),
        (ROLLED_31, f"{OPENING}:{MONEY}"),
    ],
)
@pytest.mark.parametrize("between", ["\n", " or ", "\n\n> "])
def test_of_two_positions_none_is_guessed(one: str, other: str, between: str) -> None:
    with pytest.raises(BadId, match=re.escape(f"two positions, {one} and {other}: paste one")):
        pasted.read_position(f"{one}{between}{other}")
    assert len(pasted.positions_in(f"{one}{between}{other}")) == 2


def test_one_position_in_two_forms_is_one_and_the_xgid_tells_more() -> None:
    draw = random.Random(9)
    for _ in range(200):
        position, match = random_position(draw), in_xgid(random_match(draw), draw)
        ids = f"Position ID: {position_id(position)}\nMatch ID: {match_id(match)}"
        for text in (f"{ids}\n{xgid(position, match)}", f"{xgid(position, match)}\n{ids}"):
            (found,) = pasted.positions_in(text)
            assert (found.position, found.match) == pasted.read_position(text) == (position, match)


@pytest.mark.parametrize(
    "broken",
    [
        OPENING[:-1],
        f"{OTHER[:-1]}:{MONEY}",
        f"{OPENING}:cAkAAAA",
        f"{OPENING} cAkAAAAAAA",
        "GNUID=4HPw",
        "Position ID: unknown",
        f"{OPENING} Match ID: none",
        MONEY,
        f"{MONEY} {FIVE_POINTS}",
        f"{MONEY} {FIVE_POINTS} {OPENING}",
        "XGID=-b----E-C---eE",
        "-b----E-C---eE---c-e----B-:0:0:1:31:0:0",
        "XGID=b\n-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10",
        "board:You:them:5:0",
        "0 " * 25,
        "A" * 19 + "Z",
        "1;" * 40,
    ],
)
def test_what_looks_like_an_id_is_refused_and_not_skipped(broken: str) -> None:
    for text in (broken, f"{ROLLED_31}\n{broken}\n", f"{broken}\n{ROLLED_31}"):
        with pytest.raises(BadId):
            pasted.read_position(text)


def test_where_no_position_is_one_line_says_what_is_wanted() -> None:
    for text in ("hello world", "hello", "What is the Position ID?", "XGID= I have none"):
        with pytest.raises(pasted.NoPosition) as caught:
            pasted.read_position(text)
        assert str(caught.value) == (
            f"no position in {text!r}: paste a Position ID, a GNUID or an XGID"
        )


WORDS = ("the", "ID", "Position", "is", "XGID", "5", "-31", "(", "\n", "board", "50%")
FORMS = (
    OPENING, f"{OPENING}:{MONEY}", f"Match ID: {MONEY} Position ID: {OPENING}", ROLLED_31,
    ROLLED_31.lower().replace("=", " ", 1).replace("-b----e-c---ee---c-e----b-", ROLLED_31[5:31]),
)  # fmt: skip


@given(st.lists(st.sampled_from(WORDS)), st.sampled_from(FORMS), st.lists(st.sampled_from(WORDS)))
def test_words_around_a_position_change_nothing(
    before: list[str], form: str, after: list[str]
) -> None:
    assume(before[-1:] != ["XGID"] or form.startswith(("XGID", "xgid")))
    assert pasted.read_position(" ".join((*before, form, *after))) == pasted.read_position(form)


PIECES = (
    *FORMS, MONEY, FIVE_POINTS, OTHER, ROLLED_61, OPENING[:9], ROLLED_31[:40], ROLLED_31[31:],
    "=", ":", "GNUID=", "Position ID", "Match ID", "XGID", "board:", "?id=", "%3A", *WORDS,
)  # fmt: skip


@given(st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from(("", " ", ":", "\n", "+")))))
def test_pieces_in_any_order_are_refused_or_a_position_that_is_there(
    pieces: list[tuple[str, str]],
) -> None:
    text = "".join(map("".join, pieces))
    whole = [
        pasted.read_position(piece)[0] for piece, _ in pieces if piece in (*FORMS, OTHER, ROLLED_61)
    ]
    try:
        position, _ = pasted.read_position(text)
    except BadId as error:
        assert "\n" not in str(error)
    else:
        assert position in whole or position == Position.start()


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(BadId):
        pasted.read_position(text)


SHOWN = """\
GNU Backgammon  Position ID: {}
                Match ID   : {}
 +13-14-15-16-17-18------19-20-21-22-23-24-+     O: gnubg
"""


def test_a_file_has_each_position_that_is_in_it() -> None:
    text = SHOWN.format(OPENING, MONEY) * 2 + SHOWN.format(OTHER, MONEY)  # gnubg shows some twice
    text += f"# {OTHER}:{FIVE_POINTS}\nXGID: {ROLLED_31[5:]} 5 points\n{OPENING}\n{OPENING}\n"
    name, data = "session.txt", text.encode()
    found = [board_at_end(match) for match in readers.read_match_file(name, data).matches]
    assert [position_id(position) for position, _ in found] == [OPENING, OTHER, *3 * [OPENING]]
    assert [state.dice for _, state in found] == [None, None, (3, 1), None, None]
    with pytest.raises(BadMatchFile) as caught:
        readers.read_match_file(name, data + b"\n\n4HPwATDgc/ABM\n")
    assert (caught.value.line, "13 characters" in caught.value.reason) == (16, True)


def test_a_board_of_gnubg_and_the_xgid_of_another_position_are_two() -> None:
    text = f"{SHOWN.format(OTHER, MONEY)}{ROLLED_31}\n"
    found = [
        board_at_end(match) for match in readers.read_match_file("both.txt", text.encode()).matches
    ]
    assert [position_id(position) for position, _ in found] == [OTHER, OPENING]


def test_the_text_of_a_game_is_no_file_of_positions() -> None:
    moves = (f"Move number {n}:  O to play 31\n\n{SHOWN.format(OTHER, MONEY)}" for n in (1, 2))
    text = f"\n{ROLLED_31}\n".join(moves)  # as our documents have it
    assert readers.looks_known(text[:150].encode())
    assert not readers.looks_known(text.encode())
    assert not readers.looks_known(f"{BOARD}\nlog\n{BOARD}".encode()[1:])
    assert readers.looks_known(BOARD.encode())


# Run by gnubg's own interpreter: what it says of each state, and each form in which it shows it.
_SHOW = (
    QUIET_GNUBG
    + """
with open("asked") as asked, open("said", "w") as said:
    for number, line in enumerate(asked):
        set_id, *doubles = line.strip().split(";")
        for each in (set_id, *doubles):
            gnubg.command(each)
        facts = gnubg.board(), gnubg.posinfo(), gnubg.cubeinfo()
        said.write(json.dumps(facts) + "\\n")
        for option in ("clockwise off", "output rawboard on", "clockwise on"):
            gnubg.command("set " + option)
            print("@@")
            sys.stdout.flush()
            gnubg.command("show board")
            gnubg.command("set output rawboard off")
        print("@@")
        sys.stdout.flush()
        for form in {exports!r}:
            gnubg.command("export position %s %d.%s" % (form, number, form))
        gnubg.command("save position %d.sgf" % number)
"""
)
_DOUBLES = ("text", "html", "bgonline")  # the exports that tell of a double


def _facts(position: Position, match: MatchState | None) -> tuple[object, ...]:
    """What a form tells, as gnubg says it of the player on roll."""
    assert match is not None
    us = match.on_roll
    return (
        (position.theirs, position.mine),
        sorted(match.dice or (0, 0)),
        match.cube,
        None if match.cube_owner is None else match.cube_owner == us,
        match.length,
        (match.score[us], match.score[1 - us]),
        match.crawford,
        match.doubled,
    )


def _said(line: str) -> tuple[object, ...]:
    board, state, cube = json.loads(line)
    us = cube["move"]
    return (
        (tuple(board[0]), tuple(board[1])),
        sorted(state["dice"]),
        cube["cube"],
        None if cube["cubeowner"] < 0 else cube["cubeowner"] == us,
        cube["matchto"],
        (cube["score"][us], cube["score"][1 - us]),
        bool(cube["crawford"]),
        bool(state["doubled"]),
    )


@pytest.mark.gnubg
def test_every_form_in_which_gnubg_shows_a_position_says_what_gnubg_says(tmp_path: Path) -> None:
    lines: list[str] = []
    for position, match in states_for_gnubg(random.Random(8), 400):
        if match.length > 25 or (match.length and max(match.score) >= match.length):
            continue  # gnubg computes with match equities
        match = match.with_(cube=1 if match.cube_owner is None else 4)
        set_id = f"set gnubgid {position_id(position)}:{match_id(match)}"
        lines.append(set_id + ";double" * match.may_double())
    (tmp_path / "asked").write_text("\n".join(lines[:50]))
    told = scripted(_SHOW.format(exports=(*_DOUBLES, "snowietxt", "pos")), tmp_path)
    shows = iter(told.split("@@")[1:])
    doubles = 0
    for number, line in enumerate((tmp_path / "said").read_text().splitlines()):
        wanted = _said(line)
        doubled = wanted[-1] is True
        doubles += doubled
        ascii_board, fibs_board, clockwise, _ = (next(shows) for _ in range(4))
        assert "board:root:gnubg" in fibs_board
        forms = _DOUBLES if doubled else (*_DOUBLES, "snowietxt", "pos", "sgf")
        for form in forms:
            path = tmp_path / f"{number}.{form}"
            (found,) = readers.read_match_file(path.name, path.read_bytes()).matches
            assert _facts(*board_at_end(found)) == wanted, form
        boards = [(tmp_path / f"{number}.{form}").read_text() for form in forms[:4]]
        # FIBS shows a double only to who must answer it, gnubg to everybody
        boards += [ascii_board, clockwise, *([] if doubled else [fibs_board])]
        for board in boards:
            assert _facts(*pasted.read_position(board)) == wanted
    assert (number, doubles > 5) == (49, True)


def test_what_is_no_number_is_quoted_without_what_steers_a_terminal() -> None:
    with pytest.raises(BadId, match=r"'1.x1b' is not a number"):
        pasted.read_position("0;a;b;c;1\x1b" + 35 * ";")
