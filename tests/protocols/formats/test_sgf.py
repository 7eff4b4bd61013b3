"""SGF as gnubg writes it, read and written."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sixprime.engine.analysis.values import CubeWorth, EvalContext, Mark, RankedPlay, RolloutResult
from sixprime.engine.position import Step
from sixprime.protocols.formats import mat
from sixprime.protocols.formats.record import (
    Analysis,
    BadMatchFile,
    Cube,
    CubeStep,
    Ending,
    Game,
    GameResult,
    Marks,
    Match,
    Opinion,
    Player,
    Rules,
    SetBoard,
    Turn,
)
from sixprime.protocols.formats.sgf import match as sgf
from tests.support.formats.played import MATCHES, carried, mutated, random_match
from tests.support.places import INTEROP

PLAYERS = (Player("anna"), Player("ben"))
MINIMAL = """(;GM[6]PW[anna]PB[ben]MI[length:5]
;W[31hefe]
;B[double]
;W[take]
;B[61lrqr]
;W[double]
;B[drop])
(;GM[6]PW[anna]PB[ben]MI[length:5][ws:2]
;W[61mghg])
"""


def as_gnubg(text: str) -> str:
    """What gnubg would have written instead of us."""
    return text.replace("AP[Sixprime]", "AP[GNU Backgammon:1.07.001]")


@pytest.mark.parametrize("name", ["oldmoves-2games", "money-analysed", "rollouts"])
def test_what_gnubg_wrote_comes_back_byte_for_byte(name: str) -> None:
    text = (INTEROP / f"{name}.sgf").read_text()
    (match,) = sgf.read_sgf(text).strictly()
    ours = as_gnubg(sgf.write_sgf(match))
    if name == "money-analysed":  # the one game kept of a session of six
        ours = ours.replace("[game:0]", "[game:5]")
    # a roll that is played at once needs no node of its own
    theirs = [line for line in text.split("\n") if line and line != ";PL[W]DI[41]"]
    assert ours.split("\n") == [*theirs, ""]


def test_the_minimal_file_of_the_fact_sheet() -> None:
    (match,) = sgf.read_sgf(MINIMAL).strictly()
    first, second = match.games
    assert (first.result, first.score) == (GameResult(0, 2, Ending.DROPPED), (0, 0))
    assert (second.result, second.score) == (None, (2, 0))
    assert mat.write_mat(match).splitlines()[4:] == [
        " anna : 0                       ben : 0",
        "  1) 31: 8/5 6/5                  Doubles => 2",
        "  2)  Takes                      61: 13/7 8/7 ",
        "  3)  Doubles => 4                Drops",
        "      Wins 2 points",
        "",
        " Game 2",
        " anna : 2                       ben : 0",
        "  1) 61: 13/7 8/7                ",
    ]


def test_a_resignation_stands_in_re() -> None:
    text = "(;GM[6]MI[length:7]PW[a]PB[b]RE[W+4R];W[31hefe];B[double];W[take])"
    (match,) = sgf.read_sgf(text).strictly()
    assert match.games[0].result == GameResult(0, 4, Ending.RESIGNED)
    assert "RE[W+4R]" in sgf.write_sgf(match)


def test_the_analysis_is_read_as_numbers() -> None:
    (match,) = sgf.read_sgf((INTEROP / "rollouts.sgf").read_text()).strictly()
    analyses = [
        action.analysis
        for action in match.games[0].actions
        if isinstance(action, Turn) and action.analysis
    ]
    rolled = next(a for a in analyses if a.cube and isinstance(a.cube.by, RolloutResult))
    assert rolled.cube is not None
    assert rolled.cube.no_double[6] == 0.5073526502
    assert rolled.cube.double_take[0] == 0.528326273
    best = rolled.candidates[0]
    assert best.play == (Step(13, 9), Step(24, 23))
    assert (best.equity, best.probabilities[0]) == (0.006215601694, 0.4975765049)
    assert isinstance(best.by, RolloutResult)
    assert best.by.trials == 36
    assert isinstance(rolled.candidates[-1].by, EvalContext)
    assert rolled.candidates[-1].by.plies == 0


def test_marks_and_luck_are_kept_for_the_one_who_rolled() -> None:
    text = (
        "(;GM[6]PW[a]PB[b]MI[length:7]"
        ";W[31hefe]LU[0.12345]GB[2]BM[2]DC[]"
        ";B[double]DA[E ver 3 0 1 0.000000 0 " + "0.5 " * 14 + "]CR[]DO[]C[why\\]\nnow])"
    )
    (match,) = sgf.read_sgf(text).strictly()
    turn, cube = match.games[0].actions
    assert isinstance(turn, Turn)
    assert isinstance(cube, Cube)
    assert turn.analysis == Analysis(luck=0.12345)  # which explains none of the marks
    assert turn.marks == Marks(Opinion.VERY_BAD, Opinion.DOUBTFUL, luck=-2)
    assert cube.analysis is not None
    assert (cube.analysis.mark, cube.analysis.roll_out_cube) == (Mark.DOUBTFUL, True)
    assert cube.comment == "why]\nnow"
    assert sgf.read_sgf(sgf.write_sgf(match)).strictly() == [match]


@given(MATCHES)
@settings(max_examples=60)
def test_a_written_match_is_read_back_the_same(match: Match) -> None:
    (back,) = sgf.read_sgf(sgf.write_sgf(match)).strictly()
    assert carried(back, order=True) == carried(match, order=True)
    beavered = any(
        isinstance(action, Cube) and action.step is CubeStep.BEAVER
        for game in match.games
        for action in game.actions
    )
    assert back.rules == replace(match.rules, beavers=3 if beavered else 0)
    assert back.date == (match.date or (match.started and match.started.date()))
    assert (back.place, back.event, back.comment) == (match.place, match.event, match.comment)
    for ours, theirs in zip(match.players, back.players, strict=True):
        assert ours.name.startswith(theirs.name)
        assert replace(ours, name="") == replace(theirs, name="")
    assert (back.started, back.ended) == (match.started, match.ended)
    assert sgf.write_sgf(back) == sgf.write_sgf(match)


def random_analysis(seed: int) -> Analysis:
    """With as many digits as the format keeps."""
    draw = random.Random(seed)

    def six_digits(count: int) -> tuple[float, ...]:
        return tuple(round(draw.uniform(-3, 3), 6) for _ in range(count))

    def settings() -> EvalContext:
        noise = abs(six_digits(1)[0])
        return EvalContext(draw.randint(0, 4), draw.random() < 0.5, draw.random() < 0.5, noise)

    def rollout(rows: int) -> RolloutResult:
        outputs, errors = (tuple(six_digits(7) for _ in range(rows)) for _ in range(2))
        return RolloutResult(
            draw.randint(1, 10**6), outputs, errors, draw.choice(("", 'SK 0 RC "x"  c'))
        )

    def candidate() -> RankedPlay:
        if draw.random() < 0.5:
            by = rollout(1)
            return RankedPlay((), by.outputs[0][:5], six_digits(1)[0], by)
        return RankedPlay((Step(8, 5),), six_digits(5), six_digits(1)[0], settings())

    rolled = rollout(2)
    cube = CubeWorth(rolled.outputs[0], rolled.outputs[1], rolled)
    return Analysis(
        candidates=tuple(candidate() for _ in range(4)),
        chosen=draw.choice((None, 0, 3)),
        cube=draw.choice((cube, CubeWorth(six_digits(7), six_digits(7), settings()))),
        luck=draw.choice((None, round(draw.uniform(-2, 2), 5))),
        luck_mark=draw.randint(-2, 2),
        mark=draw.choice(tuple(Mark)),
        cube_mark=draw.choice(tuple(Mark)),
        to_roll_out=draw.choice(((), (0, 2))),
        roll_out_cube=draw.random() < 0.5,
    )


@given(st.integers(0, 10**6), st.text("ab]\\ :;\n[(", max_size=8))
@settings(max_examples=60)
def test_an_analysis_is_read_back_the_same(seed: int, comment: str) -> None:
    actions = (
        Turn(0, (3, 1), (Step(8, 5), Step(6, 5)), random_analysis(seed), comment),
        Cube(1, CubeStep.DOUBLE, random_analysis(seed + 1), comment),
    )
    match = Match(PLAYERS, 7, (Game(actions=actions),))
    assert sgf.read_sgf(sgf.write_sgf(match)).strictly() == [match]


def test_setups_cubes_and_nodes_of_several_parts() -> None:
    text = (
        "(;GM[6]PW[a]PB[b]MI[length:0]CV[2];CP[b];CV[4];PL[W]AE[a:q][r:z]AW[f][f][h][y][z]"
        "AB[s:t][y]C[so];B[31ycst])"
    )
    (match,) = sgf.read_sgf(text).strictly()
    setup, turn = match.games[0].actions
    assert isinstance(setup, SetBoard)
    assert (setup.cube, setup.cube_owner, setup.on_roll, setup.comment) == (4, 1, 0, "so")
    assert [setup.position.mine[i] for i in (5, 7, 24)] == [2, 1, 1]
    assert [setup.position.theirs[i] for i in (5, 4, 24)] == [1, 1, 1]
    assert isinstance(turn, Turn)
    assert match.games[0].cube == 2
    assert sgf.read_sgf(sgf.write_sgf(match)).strictly() == [match]


def test_lower_case_letters_variations_and_strange_properties_are_passed_over() -> None:
    text = """junk before (;FiF[4]GaM[6] PlW[a]PB[b]MI[length:7]XX[y\\]]
    ;W[31hefe];(;B[61lrqr](;W[52xvmh])(;W[66]))(;B[11]))
    """.replace(";(", "(")
    (match,) = sgf.read_sgf(text).strictly()
    assert [a.dice for a in match.games[0].actions if isinstance(a, Turn)] == [
        (3, 1),
        (6, 1),
        (5, 2),
    ]


W31, B31 = "W[31hefe]", "B[31qtst]"


@pytest.mark.parametrize(
    ("nodes", "same"),
    [
        (f"PL[W]DI[32];{B31}", B31),  # `set turn` after the first roll
        (f"PL[W]DI[31];PL[W]DI[32];{W31}", W31),  # `set dice`
        (f"PL[W]DI[32];PL[B]DI[31];{B31}", f"PL[B]DI[31];{B31}"),
        (f"PL[W]DI[32];B[double];W[take];{B31}", f"B[double];W[take];{B31}"),
        (f"{W31};PL[B]DI[65];B[double];W[drop]", f"{W31};B[double];W[drop]"),
    ],
)
def test_dice_that_gnubg_left_behind_before_another_turn_are_dropped(nodes: str, same: str) -> None:
    head = "(;GM[6]PW[anna]PB[ben]MI[length:5];"
    assert sgf.read_sgf(f"{head}{nodes})").strictly() == sgf.read_sgf(f"{head}{same})").strictly()


def test_a_turn_out_of_order_after_dice_that_lie_is_a_board_set_by_hand() -> None:
    (match,) = sgf.read_sgf(
        f"(;GM[6]PW[anna]PB[ben]MI[length:5];{W31};PL[B]DI[65];W[42xtxv])"
    ).strictly()
    _, setup, _ = match.games[0].actions
    assert isinstance(setup, SetBoard)
    assert (setup.on_roll, setup.position.pips()) == (0, (163, 167))
    assert sgf.read_sgf(sgf.write_sgf(match)).strictly() == [match]


def test_games_of_other_players_or_an_earlier_score_are_other_matches() -> None:
    one, two = random_match(3), random_match(4)
    together = sgf.read_sgf(sgf.write_sgf(one) + sgf.write_sgf(one) + sgf.write_sgf(two)).strictly()
    assert [len(m.games) for m in together] == [len(one.games)] * 2 + [len(two.games)]


def test_rules_are_kept() -> None:
    for rules in (Rules(crawford=False), Rules(cube=False)):
        match = Match(
            PLAYERS, 7, (Game(actions=(Turn(0, (3, 1), (Step(8, 5), Step(6, 5))),)),), rules=rules
        )
        assert sgf.read_sgf(sgf.write_sgf(match)).strictly() == [match]


GAME = "(;GM[6]PW[a]PB[b]MI[length:7]\n;W[31hefe]\n;B[61lrqr]\n"


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("", 1, "no game tree"),
        ("hello", 1, "no game tree"),
        ("(;GM[1]AB[aa])", 1, "GM[6]"),
        (GAME, 4, "ends within a game"),
        (GAME + ";W[52xvmh)", 4, "no complete value"),
        (GAME + ";W[52xvmk])", 4, "cannot be played with 5 and 2"),
        (GAME + ";W[72xvmh])", 4, "no dice"),
        (GAME + ";W[52zvmh])", 4, "cannot read the move"),
        (GAME + ";B[52xvmh])", 4, "other player's turn"),
        (GAME + ";W[take])", 4, "nobody has doubled"),
        (GAME + ";W[52xvmh]A[0][mh E ver 3 0.1])", 4, "damaged analysis"),
        (GAME + ";W[52xvmh]LU[lucky])", 4, "damaged analysis"),
        (GAME + ";AW[?])", 4, "names no place"),
        (GAME + ";PL[W]AW[a:x])", 4, "checkers"),
        (GAME + ";CV[3])", 4, "no cube"),
        (GAME + ")\nrest", 5, "expected `(`"),
        ("(;GM[6]MI[length:700])", 1, "64"),
        ("(;GM[6]MI[length:7][ws:seven])", 1, "needs a number"),
        ("(;GM[6]MI[length:7][ws:7])", 1, "is over at this score"),
        ("(GM[6])", 1, "outside of a node"),
    ],
)
def test_a_broken_file_is_refused_with_its_line(text: str, line: int, reason: str) -> None:
    with pytest.raises(BadMatchFile) as caught:
        sgf.read_sgf(text).strictly()
    assert (caught.value.line, reason in caught.value.reason) == (line, True), caught.value


@pytest.mark.parametrize(
    "evaluation",
    [
        "LU[nan]",
        "LU[-inf]",  # gnubg 1.08 writes so what it has not analysed
        "LU[1e999]",
        "DA[E ver 3 2C 1 0 1 " + " ".join(["nan"] * 14) + "]",
        "A[0][xvmh E ver 3 0.5 0.1 0 0.1 0 inf 2C 0 1 0 1]",
    ],
)
def test_what_is_not_finite_is_left_out_of_an_analysis(evaluation: str) -> None:
    (match,) = sgf.read_sgf(f"{GAME};W[52xvmh]{evaluation})").strictly()
    last = match.games[0].actions[-1]
    assert isinstance(last, Turn)
    assert last.analysis is None, "it would hide the analysis in another copy of the match"


def test_players_without_names_are_x_and_o() -> None:
    (match,) = sgf.read_sgf("(;GM[6]MI[length:7];W[31hefe])").strictly()
    assert "PW[X]PB[O]" in sgf.write_sgf(match)
    (match,) = sgf.read_sgf("(;GM[6]PW[O]MI[length:7];W[31hefe])").strictly()
    assert "PW[O]PB[O-2]" in sgf.write_sgf(match)


def test_an_analysis_of_another_version_is_left_out() -> None:
    text = GAME + ";W[52xvmh]A[0][xvmh E ver 9 0.1]DA[E 0.1])"
    (match,) = sgf.read_sgf(text).strictly()
    turn = match.games[0].actions[-1]
    assert isinstance(turn, Turn)
    assert turn.analysis is None


SHORT = (INTEROP / "rollouts.sgf").read_text() + MINIMAL


@given(st.integers(0, 10**9))
@settings(max_examples=400)
def test_a_damaged_file_is_read_or_refused_and_nothing_else(seed: int) -> None:
    try:
        sgf.read_sgf(mutated(SHORT, seed)).strictly()
    except BadMatchFile as error:
        assert error.line >= 1


@pytest.mark.parametrize(
    ("written", "rating", "experience"),
    [
        ("1700 (Exp 12)", 1700.0, 12),
        ("1612.5 (exp 3040)", 1612.5, 3040),
        ("1500", 1500.0, None),
        ("(Exp 7)", None, 7),
        ("", None, None),
    ],
)
def test_ratings_have_the_experience_that_gnubg_writes_beside(
    written: str, rating: float | None, experience: int | None
) -> None:
    text = MINIMAL.replace("PW[anna]", f"PW[anna]WR[{written}]")
    (match,) = sgf.read_sgf(text).matches
    anna = match.players[0]
    assert (anna.rating_before, anna.experience_before) == (rating, experience)
    if rating is not None:
        (again,) = sgf.read_sgf(sgf.write_sgf(match)).matches
        assert again.players == match.players
