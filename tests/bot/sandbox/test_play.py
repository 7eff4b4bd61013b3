"""A match on the sandbox: every refusal in FIBS's words, and what is particular to each rule."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sixprime.bot.sandbox.state.dialect import Dialect
from sixprime.bot.sandbox.state.limits import Limits
from sixprime.bot.sandbox.state.match import UnfinishedMatch
from sixprime.bot.sandbox.state.server import OpenInvitation
from sixprime.engine.position import Position
from tests.support.sandbox.scene import Scene, account

Dice = tuple[int, int]


def side(**points: int) -> tuple[int, ...]:
    """Checkers by own point, `p6=5`, and `bar=1`."""
    counts = [points.get(f"p{place}", 0) for place in range(1, 25)]
    return (*counts, points.get("bar", 0))


def playing(
    *dice: Dice, length: str = "5", dialect: Dialect | None = None, **toggles: bool
) -> Scene:
    """Sixbot (O, joined) against marvin (X, invited); the first roll opens the game."""
    scene = Scene(
        [account("sixbot", "moreboards"), account("marvin"), account("trillian")],
        dice=dice,
        dialect=dialect,
    )
    for name, on in toggles.items():
        for user in ("sixbot", "marvin"):
            scene.world.server.put_account(scene.account(user).with_toggle(name, on))
    for name in ("sixbot", "marvin"):
        scene.clip(name)
        scene.send(name, "set boardstyle 3")
    scene.send("marvin", f"invite sixbot {length}")
    scene.send("sixbot", "join marvin")
    scene.heard("marvin")
    return scene


def place(
    scene: Scene, mine: tuple[int, ...], theirs: tuple[int, ...], **changes: object
) -> UnfinishedMatch:
    """Put checkers on the board, as the player on roll sees them."""
    match = replace(scene.match("sixbot"), position=Position(mine, theirs))
    match = match.with_state(**changes)
    scene.world.server.put_match(match)
    return match


def text(lines: list[str]) -> list[str]:
    """Without boards and who lines."""
    return [line for line in lines if not line.startswith(("board:", "5 ")) and line != "6"]


def test_what_is_said_out_of_turn() -> None:
    scene = playing((6, 2))
    assert scene.send("marvin", "roll") == ["** It's not your turn to roll the dice."]
    assert scene.send("marvin", "move 1-2") == ["** It's not your turn to move."]
    assert scene.send("marvin", "double") == ["** It's not your turn to double."]
    assert scene.send("marvin", "accept") == ["** sixbot didn't double or resign."]
    assert scene.send("sixbot", "roll") == ["** You did already roll the dice."]
    assert scene.send("sixbot", "double") == ["** You cannot double in the first move."]
    assert scene.send("sixbot", "join") == ["** You can't play two games at once"]
    assert scene.send("sixbot", "invite marvin 3") == ["** You are already playing."]
    refusal = "** You can't watch another game while you're playing."
    assert scene.send("sixbot", "watch trillian") == [refusal]


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("move 24-18", "** You must give 2 moves."),
        ("move 24-18 13-11 6-5", "** Please don't give more than 2 moves."),
        ("move 24-19 13-11", "** You can't move 5 points in your first move."),
        ("move 24-18 13-12", "** You can't move 1 points in your second move."),
        ("move 13-7 7-5", None),
        ("move 24-22 23-17", "** You can't move from 23 in your second move."),
        ("move 7-5 5-4", "** You can't move from 7 in your first move."),
        ("move bar-23 13-7", "** You can't move from the bar in your first move."),
        ("move 6-off 8-6", "** You can't move home in your first move."),
        ("move 13-11 11-13", "** You can't move -2 points in your second move."),
        ("move 24-x", "** first move: legal words are 'bar', 'home', 'off', 'b', 'h' and 'o'."),
        ("move", "** You must give 2 moves."),
        (
            "move 24-18 13",
            "** second move: legal words are 'bar', 'home', 'off', 'b', 'h' and 'o'.",
        ),
        ("m 24-18 13-11", None),
        ("24-18 13-11", None),
        ("24 18 13 11", None),
        ("m 24 18 13 11", None),
        ("move 24-18-16", None),
    ],
)
def test_moves_are_checked_step_by_step(typed: str, answer: str | None) -> None:
    scene = playing((6, 2))
    heard = scene.send("sixbot", typed)
    if answer is None:
        assert heard[0].startswith("board:")
    else:
        assert heard == [answer]
        assert scene.match("sixbot").state.dice == (6, 2)


def test_a_blocked_point_is_named_as_the_board_numbers_it() -> None:
    scene = playing((5, 2))
    assert scene.send("sixbot", "move 24-19 13-11") == [
        "** You can't move to 19 in your first move."
    ]


def test_the_bar_comes_first() -> None:
    scene = playing((6, 2))
    place(scene, side(bar=1, p13=4, p6=10), side(p6=5, p13=10), dice=(4, 2))
    refusal = "** You have to remove pieces from the bar in your first move."
    assert scene.send("sixbot", "move 13-9 13-11") == [refusal]
    assert scene.send("sixbot", "move b-21 13-11")[0].startswith("board:")
    assert scene.heard("marvin")[0] == "sixbot moves bar-21 13-11 ."


def test_a_checker_that_is_not_the_rearmost_needs_its_own_number() -> None:
    scene = playing((6, 2))
    place(scene, side(p6=1, p3=2), side(p1=2), dice=(5, 4))
    refusal = "** You can't remove this piece in your first move."
    assert scene.send("sixbot", "move 3-off 6-1") == [refusal]
    assert scene.send("sixbot", "move 6-1 3-o")[0].startswith("board:")
    assert scene.heard("marvin")[0] == "sixbot moves 6-1 3-off ."


def test_the_larger_die_has_to_be_played_if_only_one_can_be() -> None:
    scene = playing((6, 2))
    place(scene, side(p24=1, p2=14), side(p9=2, p6=13), dice=(6, 2))
    assert scene.send("sixbot", "move 24-22") == ["** You can't move 2 points in your first move."]
    assert scene.send("sixbot", "move 24-18")[0].startswith("board:")


def test_x_types_the_numbers_of_the_board_too() -> None:
    scene = playing((1, 3))
    assert scene.send("marvin", "move 17-20 19-20")[0].startswith("board:")
    assert scene.heard("sixbot")[0] == "marvin moves 17-20 19-20 ."


def opened(*dice: Dice, **more: object) -> Scene:
    """Sixbot has made the first move; marvin is to roll."""
    scene = playing((6, 2), *dice, **more)  # type: ignore[arg-type]
    scene.send("sixbot", "move 24-18 13-11")
    scene.heard("marvin")
    return scene


def test_a_double_is_offered_and_nothing_else_may_happen() -> None:
    scene = opened((3, 1))
    assert scene.send("marvin", "move 1-2 1-4") == ["** You have to roll the dice before moving."]
    assert scene.send("marvin", "double") == [
        "You double. Please wait for sixbot to accept or reject."
    ]
    waits = ["** sixbot hasn't responded to your double yet."]
    for word in ("double", "roll", "move 1-2 1-4", "accept", "reject", "resign n"):
        assert scene.send("marvin", word) == waits
    assert scene.send("sixbot", "roll") == ["** It's not your turn to roll the dice."]
    assert scene.send("sixbot", "resign n") == ["** marvin doubled. Type 'accept' or 'reject'."]
    heard = scene.send("sixbot", "accept")
    assert heard[0] == "You accept the double. The cube shows 2."
    assert scene.match("sixbot").state.cube_owner == 0


def test_who_does_not_own_the_cube_cannot_double_and_is_rolled_for() -> None:
    scene = opened((3, 1), (4, 2), (5, 1))
    scene.send("marvin", "double")
    scene.send("sixbot", "accept")
    scene.heard("marvin")
    scene.send("marvin", "move 17-20 19-20")
    assert scene.heard("sixbot")[-1] == "It's your turn. Please roll or double."
    scene.send("sixbot", "roll")
    scene.send("sixbot", "move 8-4 6-4")
    assert "You roll 5 and 1." in scene.heard("marvin")


def test_after_the_roll_it_is_too_late_to_double() -> None:
    scene = opened((3, 1))
    scene.send("marvin", "roll")
    assert scene.send("marvin", "double") == ["** You can only double before you roll the dice."]


def test_there_is_no_cube_in_a_one_point_match() -> None:
    scene = playing((6, 2), (3, 1), length="1")
    scene.send("sixbot", "move 24-18 13-11")
    assert "You roll 3 and 1." in scene.heard("marvin")


def test_the_crawford_game_has_no_cube() -> None:
    scene = opened(dialect=Dialect(crawford_autoroll=False))
    scene.world.server.put_match(scene.match("sixbot").with_state(score=(4, 0), crawford=True))
    refusal = "** The Crawford rule doesn't allow you to double in this game."
    assert scene.send("marvin", "double") == [refusal]


def test_without_the_crawford_rule_on_either_side_there_is_no_crawford_game() -> None:
    match = UnfinishedMatch(("a", "b"), 3, crawford_rule=False).with_state(score=(2, 0))
    assert not match.next_game((3, 1), 1).state.crawford
    match = UnfinishedMatch(("a", "b"), 3).with_state(score=(2, 0))
    game = match.next_game((3, 1), 1)
    assert game.state.crawford
    assert not game.next_game((3, 1), 1).state.crawford


def test_a_resignation_waits_for_its_answer() -> None:
    scene = opened()
    assert scene.send("sixbot", "resign") == [
        "** Type 'n' (normal), 'g' (gammon) or 'b' (backgammon) after resign."
    ]
    assert scene.send("sixbot", "resign gammon") == [
        "You want to resign. marvin will win 2 points."
    ]
    heard = "sixbot wants to resign. You will win 2 points. Type 'accept' or 'reject'."
    assert scene.heard("marvin") == [heard]
    owes = ["** sixbot wanted to resign. Type 'accept' or 'reject'."]
    for word in ("roll", "double", "move 1-2", "resign n"):
        assert scene.send("marvin", word) == owes
    waits = ["** marvin hasn't accepted or rejected your resign yet."]
    for word in ("roll", "accept", "move 1-2", "resign n"):
        assert scene.send("sixbot", word) == waits
    assert scene.send("sixbot", "double") == ["** You can't double now. You want to resign."]
    assert scene.send("marvin", "reject") == ["You reject. The game continues."]
    assert scene.heard("sixbot") == ["marvin rejects. The game continues."]
    assert scene.send("sixbot", "resign n") == ["You want to resign. marvin will win 1 point."]
    heard_lines = scene.send("marvin", "accept")
    assert heard_lines == [
        "You accept and win 1 point.",
        "score in 5 point match: marvin-1 sixbot-0",
        "Type 'join' if you want to play the next game, type 'leave' if you don't.",
    ]


def between_games(*dice: Dice) -> Scene:
    scene = playing((6, 2), *dice)
    scene.send("sixbot", "resign n")
    scene.send("marvin", "accept")
    scene.heard("sixbot")
    return scene


def test_between_two_games() -> None:
    scene = between_games((1, 5))
    assert scene.send("sixbot", "roll") == ["** The game is already over."]
    assert scene.send("sixbot", "join") == ["** Please wait for marvin to join too."]
    assert scene.send("sixbot", "join") == ["** You already did that."]
    assert scene.send("sixbot", "move 1-2") == ["** Please wait for marvin to join too."]
    assert scene.send("marvin", "board")[0].startswith("board:You:sixbot:5:1:0:")
    assert scene.send("marvin", "join")[0] == "Starting a new game with sixbot."


def test_o_and_x_change_sides_from_game_to_game() -> None:
    scene = between_games((1, 5))
    assert scene.match("sixbot").o_seat == 1
    scene.send("sixbot", "join")
    heard = scene.send("marvin", "join")
    assert ":0:1:1:1:0:1:-1:0:25:" in next(line for line in heard if line.startswith("board:"))


def test_a_match_left_between_two_games_goes_on_with_an_opening_roll() -> None:
    scene = between_games((1, 5))
    assert scene.send("sixbot", "leave")[0] == "** You terminated the game. The game was saved."
    assert scene.heard("marvin")[0] == "** Player sixbot has left the game. The game was saved."
    scene.send("sixbot", "invite marvin")
    lines = text(scene.send("marvin", "join sixbot"))
    assert lines[0] == "You are now playing with sixbot. Your running match was loaded."
    assert not any(line.startswith("turn:") for line in lines)
    assert "You rolled 5, sixbot rolled 1" in lines


def test_an_opening_doublet_is_rolled_again() -> None:
    scene = playing((4, 4), (2, 2), (6, 1))
    assert scene.match("sixbot").state.dice == (6, 1)
    assert scene.match("sixbot").state.cube == 1


def test_an_opening_doublet_turns_the_cube_if_both_agree() -> None:
    scene = playing((4, 4), (6, 1), autodouble=True)
    assert scene.match("sixbot").state.cube == 2


def test_an_opening_doublet_turns_no_cube_in_the_crawford_game() -> None:
    scene = playing((6, 1), (4, 4), (6, 1), length="2", autodouble=True)
    scene.send("marvin", "resign n")
    scene.send("sixbot", "accept")
    scene.send("marvin", "join")
    assert "The number on the doubling cube is now 2" not in scene.send("sixbot", "join")
    assert scene.match("sixbot").state.crawford
    assert scene.match("sixbot").state.cube == 1


def test_per_game_toggles_go_back_at_the_start_of_a_game() -> None:
    scene = between_games((5, 1))
    scene.send("marvin", "toggle moves greedy double")
    scene.send("sixbot", "join")
    scene.send("marvin", "join")
    marvin = scene.account("marvin")
    assert (marvin.has("double"), marvin.has("greedy"), marvin.has("moves")) == (True, False, False)


def test_who_does_not_want_to_be_asked_is_rolled_for() -> None:
    scene = playing((6, 2), (3, 1))
    scene.send("marvin", "toggle double")
    scene.send("sixbot", "move 24-18 13-11")
    assert "You roll 3 and 1." in scene.heard("marvin")


def test_forced_moves_are_made_for_those_who_want_it() -> None:
    scene = playing((6, 2), (6, 2), (1, 1), automove=True)
    scene.send("sixbot", "move 24-18 13-11")
    scene.heard("marvin")
    scene.heard("sixbot")
    place(scene, side(bar=2, p13=13), side(p1=2, p2=2, p3=2, p4=2, p5=2, p11=2, p6=1, p7=2))
    heard = scene.send("marvin", "roll")
    assert any(line.startswith("The only possible move is bar-") for line in heard)
    assert any(line.startswith("marvin moves bar-") for line in scene.heard("sixbot"))


def test_greedy_bear_offs_are_made_for_those_who_want_them() -> None:
    scene = playing((6, 2), (6, 3), (1, 2))
    scene.send("sixbot", "move 24-18 13-11")
    scene.send("marvin", "toggle greedy")
    place(scene, side(p6=3, p3=3), side(p6=3))
    heard = scene.send("marvin", "roll")
    assert "Bearing off: 19-off 22-off ." in heard
    assert scene.match("marvin").state.on_roll == 0


def test_the_match_goes_on_without_boards_for_those_who_want_none() -> None:
    scene = playing((6, 2), autoboard=False)
    assert scene.send("sixbot", "move 24-18 13-11") == ["Done."]


def test_an_unlimited_match_has_no_crawford_game_and_no_end_and_is_left() -> None:
    scene = playing((6, 2), length="unlimited")
    assert ":9999:0:0:" in scene.send("sixbot", "board")[0]
    scene.send("sixbot", "resign b")
    assert "score in unlimited match: marvin-3 sixbot-0" in scene.send("marvin", "accept")
    scene.send("marvin", "leave")
    assert scene.send("marvin", "show saved") == [
        "  opponent          matchlength   score (your points first)",
        "**sixbot          unlimited                3 -  0",
    ]


def test_a_beaver_needs_both_players_to_allow_it() -> None:
    scene = playing((6, 2), length="unlimited")
    scene.send("sixbot", "move 24-18 13-11")
    scene.send("marvin", "double")
    refusal = "** You can't redouble now. Type 'accept' or 'reject'."
    assert scene.send("sixbot", "beaver") == [refusal]


def test_a_beaver_doubles_again_and_keeps_the_cube() -> None:
    scene = Scene([account("sixbot", redoubles=3), account("marvin", redoubles=9999)])
    for name in ("sixbot", "marvin"):
        scene.clip(name)
    scene.dice.extend([(6, 2), (3, 1)])
    scene.send("marvin", "invite sixbot unlimited")
    scene.send("sixbot", "join marvin")
    scene.send("sixbot", "move 24-18 13-11")
    scene.send("marvin", "double")
    assert scene.send("sixbot", "beaver") == [
        "You redouble to 4. Please wait for marvin to accept or reject."
    ]
    assert "sixbot redoubles to 4. Type 'accept' or 'reject'." in scene.heard("marvin")
    assert "You accept the double. The cube shows 4." in scene.send("marvin", "accept")
    state = scene.match("sixbot").state
    assert (state.cube, state.cube_owner, state.on_roll) == (4, 0, 1)


def test_a_dropped_beaver_costs_the_doubled_stake() -> None:
    scene = Scene([account("sixbot", redoubles=1), account("marvin", redoubles=1)])
    for name in ("sixbot", "marvin"):
        scene.clip(name)
    scene.dice.extend([(6, 2)])
    scene.send("marvin", "invite sixbot unlimited")
    scene.send("sixbot", "join marvin")
    scene.send("sixbot", "move 24-18 13-11")
    scene.send("marvin", "double")
    scene.send("sixbot", "redouble")
    assert scene.send("marvin", "reject")[0] == "You give up. sixbot wins 2 points."


def test_a_won_game_shows_in_oldmoves_and_oldboard() -> None:
    scene = playing((6, 2))
    scene.send("sixbot", "resign n")
    scene.send("marvin", "accept")
    assert scene.send("marvin", "oldmoves sixbot") == [
        "Score is 0-0 in a 5 point match.",
        "marvin is X - sixbot is O",
        "O: wants to resign",
        "X: accepts",
        "X: wins",
    ]
    assert scene.send("marvin", "oldboard")[0].startswith("board:You:sixbot:5:0:0:")
    assert scene.send("marvin", "oldmoves nobody") == ["** There is no old game of nobody."]


def test_the_moves_are_listed_with_rolls_and_dances() -> None:
    scene = opened((6, 6), (6, 1))
    place(scene, side(bar=2, p13=13), side(p1=2, p2=2, p3=2, p4=2, p5=2, p6=2, p7=3))
    scene.send("marvin", "roll")
    assert scene.match("marvin").record == ("O: (6 2) 24-18 13-11", "X: (6 6) can't move")


def test_pip_counts_are_given_if_the_opponent_allows() -> None:
    scene = playing((6, 2))
    assert scene.send("sixbot", "pip") == ["Pipcounts: You 167   marvin 167"]
    scene.send("marvin", "toggle allowpip")
    assert scene.send("sixbot", "pip") == ["** marvin doesn't allow the use of the 'pip' command."]


def test_a_saved_match_is_warned_of_and_lost_by_a_new_one() -> None:
    scene = playing((6, 2), (5, 1))
    scene.send("sixbot", "leave")
    scene.heard("marvin")
    scene.send("sixbot", "invite marvin 3")
    assert text(scene.heard("marvin")) == [
        "sixbot wants to play a 3 point match with you.",
        "WARNING: Don't accept if you want to continue the saved 5 point match!",
        "Type 'join sixbot' to accept.",
    ]
    scene.send("marvin", "join sixbot")
    assert scene.match("marvin").length == 3
    assert len(scene.world.server.matches) == 1


def test_an_inviter_has_one_open_invitation() -> None:
    scene = Scene([account("sixbot"), account("marvin"), account("trillian")])
    for name in ("sixbot", "marvin", "trillian"):
        scene.clip(name)
    scene.send("marvin", "invite sixbot 3")
    scene.send("marvin", "invite trillian 3")
    assert scene.send("sixbot", "join marvin") == ["** marvin didn't invite you."]


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("invite", "** invite who?"),
        ("invite sixbot", "** You can't invite yourself."),
        ("invite nobody 3", "** There is no one called nobody"),
        ("invite marvin", "** There's no saved match with marvin. Please give a match length."),
        ("invite marvin 100", "** You can't play a 100 point match."),
        ("invite marvin 00000000999999999", "** You can't play a 999999999 point match."),
        (
            "invite marvin 0",
            "** The second argument to 'invite' has to be a number or the word 'unlimited'",
        ),
        (
            "invite marvin long",
            "** The second argument to 'invite' has to be a number or the word 'unlimited'",
        ),
        ("invite trillian 3", "** trillian is refusing games."),
        ("invite marvin unlimited", "** You invited marvin to an unlimited match."),
    ],
)
def test_what_an_invitation_runs_into(typed: str, answer: str) -> None:
    scene = Scene([account("sixbot"), account("marvin"), account("trillian")])
    for name in ("sixbot", "marvin", "trillian"):
        scene.clip(name)
    scene.send("trillian", "toggle ready")
    assert scene.send("sixbot", typed)[0] == answer


def test_one_has_to_be_ready_to_invite_and_to_join() -> None:
    scene = Scene([account("sixbot"), account("marvin")])
    for name in ("sixbot", "marvin"):
        scene.clip(name)
    scene.send("marvin", "invite sixbot 3")
    scene.send("sixbot", "toggle ready")
    assert scene.send("sixbot", "join marvin") == ["** Use 'toggle ready' first"]
    assert scene.send("sixbot", "invite marvin 3") == ["** Use 'toggle ready' first"]


def test_a_user_with_too_many_saved_matches_starts_no_new_one() -> None:
    others = [f"other_{letter}" for letter in "abc"]
    matches = [UnfinishedMatch(("sixbot", other), 3) for other in others[:2]]
    scene = Scene(
        [account("sixbot"), *map(account, others)], matches, limits=Limits(saved_matches=2)
    )
    scene.clip("sixbot")
    scene.clip("other_c")
    scene.clip("other_a")
    refusal = "** You have 2 saved games. Please finish some of them first."
    assert scene.send("sixbot", "invite other_c 3") == [refusal]
    assert scene.send("sixbot", "invite other_a") == [
        "** You invited other_a to resume a saved match."
    ]


def test_a_user_with_too_many_saved_matches_joins_no_new_one() -> None:
    scene = Scene(
        [account("sixbot"), account("marvin"), account("other_a")],
        [UnfinishedMatch(("sixbot", "other_a"), 3)],
        dice=[(6, 2)],
        limits=Limits(saved_matches=1),
    )
    for name in ("sixbot", "marvin", "other_a"):
        scene.clip(name)
    scene.send("marvin", "invite sixbot 3")
    refusal = "** You have 1 saved games. Please finish some of them first."
    assert scene.send("sixbot", "join marvin") == [refusal]
    scene.session("sixbot").invitation = OpenInvitation("marvin", 3)  # from before
    refusal = "** sixbot has 1 saved games and has to finish some of them first."
    assert scene.send("marvin", "join sixbot") == [refusal]
    scene.send("other_a", "invite sixbot 5")
    assert "** You are now playing a 5 point match with other_a" in scene.send(
        "sixbot", "join other_a"
    )


def test_a_house_player_has_as_many_saved_matches_as_there_are_users() -> None:
    scene = Scene(
        [account("marvin")],
        [UnfinishedMatch(("house_simple", f"other_{letter}"), 3) for letter in "abcdefghi"],
        dice=[(6, 2)],
    )
    scene._happen(scene.world.employed(99, "house_simple", scene.now))
    scene.clip("marvin")
    scene.send("marvin", "invite house_simple 1")
    scene._happen(scene.world.received(99, "join marvin", scene.now))
    assert scene.match("marvin").length == 1


def test_a_match_that_was_dropped_resumes_with_its_double_pending() -> None:
    scene = opened((3, 1))
    scene.send("marvin", "double")
    scene.drop("sixbot")
    assert scene.heard("marvin")[0] == "sixbot drops connection. The game was saved."
    scene.clip("sixbot")
    scene.send("sixbot", "invite marvin")
    scene.send("marvin", "join sixbot")
    assert "You accept the double. The cube shows 2." in scene.send("sixbot", "accept")


def test_an_open_resignation_does_not_outlive_the_connection() -> None:
    scene = opened()
    scene.send("sixbot", "resign g")
    scene.drop("sixbot")
    scene.clip("sixbot")
    scene.send("marvin", "invite sixbot")
    scene.send("sixbot", "join marvin")
    assert scene.send("marvin", "accept") == ["** sixbot didn't double or resign."]


def test_the_last_checker_off_wins_gammons_and_matches() -> None:
    scene = playing((6, 2), length="2")
    place(scene, side(p1=1), side(p18=1, p6=14), dice=(5, 3))
    heard = text(scene.send("sixbot", "move 1-off"))
    assert heard == [
        "You win the game and get 2 points. Congratulations!",
        "You win the 2 point match 2-0 .",
    ]
    assert text(scene.heard("marvin")) == [
        "sixbot moves 1-off .",
        "sixbot wins the game and gets 2 points. Sorry.",
        "sixbot wins the 2 point match 2-0 .",
    ]
    assert scene.account("sixbot").experience == 2
    assert not scene.world.server.matches


def test_others_hear_of_matches_if_they_want() -> None:
    scene = Scene([account("sixbot"), account("marvin"), account("trillian")], dice=[(6, 2)])
    for name in ("sixbot", "marvin", "trillian"):
        scene.clip(name)
    scene.send("marvin", "invite sixbot 1")
    scene.send("sixbot", "join marvin")
    assert "sixbot and marvin start a 1 point match." in scene.heard("trillian")
    scene.send("sixbot", "resign n")
    scene.send("marvin", "accept")
    assert "marvin wins a 1 point match against sixbot  1-0 ." in scene.heard("trillian")


def test_kibitzes_reach_the_table_and_whispers_the_watchers() -> None:
    scene = playing((6, 2))
    scene.clip("trillian")
    scene.send("trillian", "watch sixbot")
    scene.heard("marvin")
    assert scene.send("sixbot", "kibitz good luck") == ["19 good luck", "** 2 users heard you."]
    assert scene.heard("marvin") == ["15 sixbot good luck"]
    assert scene.send("trillian", "whisper close") == ["18 close", "** But nobody heard you."]
    assert scene.send("sixbot", "say hello") == ["16 marvin hello"]
    assert scene.heard("marvin") == ["12 sixbot hello"]


def test_a_blinded_user_may_not_watch() -> None:
    scene = playing((6, 2))
    scene.clip("trillian")
    scene.send("sixbot", "blind trillian")
    refusal = ["** sixbot doesn't want you to watch."]
    assert scene.send("trillian", "watch sixbot") == refusal
    assert scene.send("trillian", "look sixbot") == refusal
    scene.send("trillian", "set boardstyle 3")
    assert scene.send("trillian", "look marvin")[0].startswith("board:marvin:sixbot:")
