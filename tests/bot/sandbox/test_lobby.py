"""Logging in, settings, who, talk: what the sandbox answers outside of a game."""

from __future__ import annotations

import pytest

from sixprime.bot.sandbox.state.dialect import Dialect
from sixprime.bot.sandbox.state.limits import Limits
from tests.support.sandbox.scene import Scene, account

EXPLAINED = "Please register before using this server:"


def lobby(*toggles: str, **fields: object) -> Scene:
    """Two users, sixbot and marvin, both logged in as clients."""
    scene = Scene([account("sixbot", *toggles, **fields), account("marvin"), account("marvina")])
    scene.clip("sixbot")
    scene.clip("marvin")
    scene.heard("sixbot")
    return scene


def test_a_guest_registers_and_is_logged_in() -> None:
    scene = Scene()
    scene.connect("me")
    greeting = scene.heard("me")
    assert "One account per person only!" in "".join(greeting)  # MatchDog waits for this to log in
    assert greeting[-1] == "login: "
    assert EXPLAINED in scene.send("me", "guest")
    assert scene.send("me", "nonsense")[2] == EXPLAINED
    assert scene.send("me", "name arthur_d") == [
        "Your name will be arthur_d",
        "Type in no password and hit Enter/Return if you want to change it now.",
        "\xff\xfb\x01Please give your password: ",
    ]
    assert scene.send("me", "secret99") == ["", "Please retype your password: \xff\xfb\x01"]
    heard = scene.send("me", "secret99")
    assert heard[:4] == [
        "",
        "You are registered.",
        "Type 'help beginner' to get started.",
        "\xff\xfc\x01",
    ]
    assert heard[-1] == "> "
    assert scene.account("arthur_d").rating == 1500.0
    assert scene.effects is not None
    assert "arthur_d" in scene.world.server.online


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("name x1", "** Your name may only contain letters and the underscore character _ ."),
        ("name a-b", "** Your name may only contain letters and the underscore character _ ."),
        ("name SixBot", "** Please use another name. 'SixBot' is already used by someone else."),
        (
            "name House_simple",
            "** Please use another name. 'House_simple' is already used by someone else.",
        ),
        ("name You", "** Please use another name. 'You' is already used by someone else."),
    ],
)
def test_some_names_cannot_be_taken(typed: str, answer: str) -> None:
    scene = Scene([account("sixbot")])
    scene.connect("me")
    scene.send("me", "guest")
    assert scene.send("me", typed) == [answer, "> "]


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("abc", "Minimal password length is 4 characters."),
        ("a:bcde", "Your password may not contain ':'"),
        ("", "** No password given. Please choose a new name"),
    ],
)
def test_some_passwords_are_refused(typed: str, answer: str) -> None:
    scene = Scene()
    scene.connect("me")
    scene.send("me", "guest")
    scene.send("me", "name arthur")
    assert any(line.endswith(answer) for line in scene.send("me", typed))


def test_two_different_passwords_are_asked_for_again() -> None:
    scene = Scene()
    scene.connect("me")
    for typed in ("guest", "name arthur", "secret99"):
        scene.send("me", typed)
    again = "** The two passwords were not identical. Please give them again. Password: "
    assert scene.send("me", "secret98") == ["", again]
    scene.send("me", "secret77")
    scene.send("me", "secret77")
    assert "arthur" in scene.world.server.online


def test_two_guests_cannot_register_the_same_name_at_once() -> None:
    scene = Scene()
    for who in ("one", "two"):
        scene.connect(who)
        scene.send(who, "guest")
    scene.send("one", "name arthur")
    assert "already used" in scene.send("two", "name Arthur")[0]


def test_a_host_registers_only_so_many_accounts() -> None:
    scene = Scene(limits=Limits(registration_burst=1))
    for who, name in (("one", "arthur"), ("two", "ford")):
        scene.connect(who)
        for typed in ("guest", f"name {name}", "secret99", "secret99"):
            heard = scene.send(who, typed)
    assert heard[-1] == "** Too many new accounts. Please try again later."
    assert "ford" not in scene.world.server.accounts


def test_an_account_keeps_its_name() -> None:
    scene = lobby()
    assert scene.send("sixbot", "name other") == ["** You can't change your name."]


def test_a_wrong_password_leads_back_to_the_prompt_and_the_fifth_to_the_door() -> None:
    scene = Scene([account("sixbot")])
    scene.connect("me")
    for pause_s in (0, 1, 2, 4):
        answered = scene.send("me", "login test 1008 sixbot wrong")
        assert (answered == []) == (pause_s > 0)
        scene.tick(pause_s)
        assert (answered or scene.heard("me")) == ["", "Login incorrect", "login: "]
    assert scene.send("me", "login test 1008 nobody wrong") == []
    scene.tick(8.0)
    assert scene.heard("me") == ["", "Login incorrect"]
    assert scene.sids["me"] in scene.closed


def test_a_login_in_telnet_style_asks_for_the_password_without_echo() -> None:
    scene = Scene([account("sixbot")])
    scene.connect("me")
    assert scene.send("me", "sixbot") == ["\xff\xfb\x01password: "]
    assert scene.send("me", "secret99")[0] == ""
    assert not scene.session("me").clip


def test_a_second_login_closes_the_first() -> None:
    scene = lobby("notify")
    scene.sids["old"] = scene.sids["sixbot"]
    heard = scene.clip("sixbot")
    assert heard[:2] == ["", "** Warning: You are already logged in."]  # ends the prompt's line
    assert scene.sids["old"] in scene.closed


def test_a_second_login_may_be_announced_to_the_first() -> None:
    scene = Scene([account("sixbot")], dialect=Dialect(second_login="kick"))
    scene.clip("sixbot")
    scene.sids["old"] = scene.sids["sixbot"]
    heard = scene.clip("sixbot", host="other.example.com")
    assert heard[1].startswith("1 sixbot")
    assert (
        "** You just logged in a second time from other.example.com, terminating this session."
        in scene.raw[scene.sids["old"]]
    )


def test_others_are_notified_of_comings_and_goings() -> None:
    scene = lobby("notify")
    scene.sids.pop("marvin", None)
    scene.clip("marvina")
    assert scene.heard("sixbot")[0] == "7 marvina marvina logs in."
    scene.send("marvina", "bye")
    assert scene.heard("sixbot") == ["8 marvina marvina logs out."]
    assert scene.sids["marvina"] in scene.closed


def test_lines_typed_while_the_password_is_checked_wait() -> None:
    scene = Scene([account("sixbot")])
    sid = scene.connect("me")
    world = scene.world
    world.received(sid, "login test 1008 sixbot secret99", scene.now)
    assert not world.received(sid, "set boardstyle 3", scene.now).output
    scene._happen(world.password_checked(sid, True, scene.now))
    assert scene.heard("me")[-1] == "Value of 'boardstyle' set to 3."


def test_the_toggle_list_has_its_values_at_column_16() -> None:
    scene = lobby()
    lines = scene.send("sixbot", "toggle")
    assert lines[0] == "The current settings are:"
    assert len(lines) == 18
    assert all(line[16:] in ("YES", "NO") for line in lines[1:])


def test_a_toggle_flips_and_several_may_be_named() -> None:
    scene = lobby()
    assert scene.send("sixbot", "toggle bell moreb") == [
        "** Your terminal will ring the bell if someone talks to you or invites you",
        "** Will send rawboards after rolling.",
    ]
    assert scene.send("sixbot", "to bell") == [
        "** Your terminal won't ring the bell if someone talks to you or invites you"
    ]
    assert scene.send("sixbot", "toggle foo") == ["** Don't know how to toggle foo"]
    assert scene.send("marvin", "tell sixbot hi") == ["16 sixbot hi"]


def test_ready_is_followed_by_the_own_line() -> None:
    scene = lobby()
    heard = scene.send("sixbot", "toggle ready")
    assert heard[0] == "** You're now refusing to play with someone."
    assert heard[1].startswith("5 sixbot - - 0 0")
    assert heard[2] == "6"


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("set boardstyle 3", "Value of 'boardstyle' set to 3."),
        ("set boardstyle 4", "** Valid arguments are the numbers 1 to 3."),
        (
            "set linelength 1000",
            "** Valid arguments are the numbers 0 to 999. Use 0 for no linelength.",
        ),
        ("set redoubles none", "Value of 'redoubles' set to 'none'."),
        ("set redoubles unlimited", "Value of 'redoubles' set to 'unlimited'."),
        ("set redoubles 42", "Value of 'redoubles' set to 42."),
        (
            "set redoubles 100",
            "** Valid arguments are 'none', 'unlimited' and the numbers 1 to 99.",
        ),
        ("set sortwho name", "Value of 'sortwho' set to 'name'."),
        ("set sortwho x", "** Unknown value 'x'. Try 'login', 'name', 'rating' or 'rrating'."),
        ("set delay 3", "** Invalid argument. Type 'help set'."),
        ("set boardstyle", "Value of 'boardstyle' is 2"),
        ("address six@example.org", "Your email address is 'six@example.org'."),
        ("address six", "** 'six' is not an email address."),
        ("address", "** You didn't give your address."),
        ("away", "None of the users is away."),
        ("back", "** You're not away."),
        ("away gone fishing", "You're away. Please type 'back'"),
        ("gag", "** Gagged users: none"),
        ("gag marvin", "** You gag marvin."),
        ("gag sixbot", "** You talk too much, don't you?"),
        ("blind", "** Blinded users: none"),
        ("blind sixbot", "** You can't read this message now, can you?"),
        ("waitfor", "You are not waiting for any players."),
        ("waitfor sixbot", "** Look behind you. Maybe you are waiting there."),
        ("blind marvin", "** You blind marvin."),
        ("who count", "There are 2 users logged on."),
        ("whois nobody", "No information found on user nobody."),
        ("whois", "** please give a name as an argument."),
        ("whois a b", "** Please use only one of the given names 'a' and 'b'."),
        ("ratings from x", "** Please give a positive number after 'from'."),
        ("show", "** show what?"),
        ("show foo", "** Don't know how to show foo"),
        ("show saved", "no saved games."),
        ("show savedgames", "no saved games."),
        ("show savedcount marvin", "marvin has no saved games."),
        ("show watchers", "Watching players: none."),
        ("show max", "max_logins is 1000 (maximum: 1000)"),
        ("show games", "List of games:"),
        ("look", "** Look at who?"),
        ("look sixbot", "You look great."),
        ("look marvin", "** marvin is not playing."),
        ("watch", "** Watch who?"),
        ("watch sixbot", "** Use a mirror to do that."),
        ("unwatch", "** You're not watching."),
        ("tell", "** Tell whom?"),
        ("tell marvin", "** Tell marvin what?"),
        ("tell sixbot hello", "You say to yourself: hello"),
        ("tell nobody hello", "** There is no one called nobody"),
        ("tell marv hello", "16 marvin hello"),
        ("tellx marv hello", "** There is no one called marv"),
        ("say hello", "** 'say' can't be used outside a game"),
        ("kibitz hello", "** You're not watching or playing."),
        ("message", "There are no new messages for you."),
        ("message marvin", "** usage: message <user> <text>"),
        ("message nobody hi", "** Don't know user nobody"),
        ("message marvin hi", "10 marvin"),
        ("message marvina hi", "11 marvina"),
        ("roll", "** You're not playing."),
        ("leave", "** Error: No one to leave."),
        ("join", "** Error: Join who?"),
        ("join marvin", "** marvin didn't invite you."),
        ("join nobody", "** Error: can't find player nobody"),
        ("frobnicate now", "** Unknown command: 'frobnicate'"),
        ("wave", "You wave goodbye."),
        ("password a", "** usage: password <old password>:<new password>:<new password>"),
        ("password a:bcde:bcdf", "** Please give your new password twice."),
        ("save", "Settings saved."),
    ],
)
def test_what_is_typed_is_answered(typed: str, answer: str) -> None:
    scene = lobby(experience=0)
    assert scene.send("sixbot", typed)[0] == answer


@pytest.mark.parametrize(
    ("typed", "same"),
    [
        ("BYE", "bye"),
        ("Who sixbot", "who sixbot"),
        ("vers", "version"),
        ("INV nobody", "invite nobody"),
    ],
)
def test_a_command_may_be_shortened_and_written_in_capitals(typed: str, same: str) -> None:
    """As in FIBS's `help commands`; CocoaFIBS says `Join`, Backgammon Mobile `BYE`."""
    assert lobby().send("sixbot", typed) == lobby().send("sixbot", same)
    assert lobby().send("sixbot", "re") == ["** Unknown command: 're'"]  # redouble, reject, resign


def test_the_last_command_is_repeated() -> None:
    scene = lobby()
    scene.send("sixbot", "who count")
    assert scene.send("sixbot", "!!") == ["There are 2 users logged on."]


def test_a_message_waits_until_its_reader_comes() -> None:
    scene = lobby()
    scene.send("sixbot", "message marvina see you at nine")
    heard = scene.clip("marvina")
    start = heard.index("There are messages for you:")
    assert heard[start + 1] == f"9 sixbot {int(scene.now)} see you at nine"
    scene.drop("marvina")
    assert "There are messages for you:" not in scene.clip("marvina")


def test_who_is_away_is_told_to_those_who_talk_to_him() -> None:
    scene = lobby()
    scene.send("marvin", "away at dinner")
    assert scene.send("sixbot", "tell marvin hi") == ["16 marvin hi", "marvin is away: at dinner"]


def test_a_gagged_user_is_not_heard() -> None:
    scene = lobby()
    scene.send("marvin", "gag sixbot")
    assert scene.send("sixbot", "tell marvin hi") == ["** marvin won't listen to you."]
    assert scene.send("marvin", "tell sixbot hi") == ["** You can't talk if you won't listen."]


def test_a_shout_is_heard_by_all_but_the_silent() -> None:
    scene = lobby("silent")
    scene.clip("marvina")
    assert scene.send("marvin", "shout good evening") == ["17 good evening", "** 1 user heard you."]
    assert scene.heard("marvina")[-1] == "13 marvin good evening"
    refusal = "** Please type 'toggle silent' again before you shout."
    assert scene.send("sixbot", "shout hi") == [refusal]


def test_an_ambiguous_name_is_explained() -> None:
    scene = lobby()
    scene.clip("marvina")
    assert scene.send("sixbot", "tell mar hi") == ["Ambigous name: Try one of: marvin marvina"]


def test_lines_that_wait_for_a_password_are_counted() -> None:
    scene = Scene([account("sixbot")], limits=Limits(command_burst=5))
    world, sid = scene.world, scene.connect("sixbot")
    world.received(sid, "login test 1008 sixbot secret99", scene.now)
    heard = [world.received(sid, "who", scene.now) for _ in range(5)]
    assert [effects.closing for effects in heard] == [[], [], [], [], [sid]]
    assert b"You talk too much" in heard[-1].output[0][1]
    assert not world.server.sessions[sid].input.waiting


def test_a_user_who_says_no_more_goes() -> None:
    scene = Scene([account("sixbot", "notify"), account("marvin")])
    scene.clip("sixbot")
    scene.clip("marvin")
    effects = scene.world.ended(scene.sids["marvin"], scene.now)
    assert effects.closing == [scene.sids["marvin"]]
    assert b"8 marvin marvin drops connection.\r\n" in dict(effects.output)[scene.sids["sixbot"]]
    assert scene.world.disconnected(scene.sids["marvin"], scene.now).output == []


def test_who_talks_too_much_is_stopped() -> None:
    scene = Scene([account("sixbot"), account("marvin")], limits=Limits(chat_burst=3))
    scene.clip("sixbot")
    scene.clip("marvin")
    heard = [scene.send("sixbot", "tell marvin hi")[0] for _ in range(4)]
    assert heard == ["16 marvin hi"] * 3 + ["** You talk too much, don't you?"]
    scene.now += 5
    assert scene.send("sixbot", "tell marvin hi") == ["16 marvin hi"]


def test_a_flood_of_commands_closes_the_connection() -> None:
    scene = Scene([account("sixbot")], limits=Limits(command_burst=10))
    scene.clip("sixbot")
    for _ in range(12):
        scene.send("sixbot", "who count")
    assert scene.sids["sixbot"] in scene.closed


def test_the_idle_are_logged_out_and_their_opponents_told() -> None:
    scene = lobby("notify")
    scene.tick(3_000)
    scene.send("sixbot", "time")
    scene.tick(1_000)
    assert scene.heard("marvin")[-1] == "Connection timed out."
    assert scene.heard("sixbot")[0] == "8 marvin Connection with marvin timed out."
    assert scene.sids["marvin"] in scene.closed
    assert scene.sids["sixbot"] not in scene.closed


def test_who_never_logs_in_is_sent_away() -> None:
    scene = Scene()
    scene.connect("me")
    scene.tick(301)
    assert scene.sids["me"] in scene.closed


def test_waiting_for_a_user() -> None:
    scene = lobby()
    scene.send("sixbot", "waitfor marvina")
    heard = scene.clip("marvina")
    assert "** sixbot is waiting for you to log in." in heard
    assert "** FINALLY!!! marvina logs in." in scene.heard("sixbot")


def test_tinyfugue_and_mud_clients_get_no_prompts() -> None:
    scene = Scene([account("sixbot")])
    scene.connect("sixbot")
    assert scene.send("sixbot", "connect sixbot secret99")[-1] != "> "
    assert scene.send("sixbot", "who count") == ["There are 1 users logged on."]


def test_people_get_prompts_and_tables_and_words() -> None:
    scene = Scene([account("sixbot", "notify"), account("marvin")])
    assert scene.telnet("sixbot")[-1] == "> "
    scene.clip("marvin")
    assert scene.heard("sixbot") == ["", "marvin logs in.", "> "]
    scene.send("marvin", "tell sixbot hello there")
    assert scene.heard("sixbot") == ["", "marvin tells you: hello there", "> "]
    table = scene.send("sixbot", "who")
    assert table[0].startswith(" No  S  username")
    assert any("marvin" in line for line in table)
    assert scene.send("sixbot", "") == ["> "]


def test_a_page_is_shown_at_a_time_to_those_who_want_it() -> None:
    scene = Scene([account("sixbot", pagelength=5)])
    scene.telnet("sixbot")
    scene.send("sixbot", "version")  # what was left of the welcome is not wanted any more
    first = scene.send("sixbot", "toggle")
    assert first[-1] == "-- press Return for more --"
    assert len(first) == 6
    pages = [scene.send("sixbot", "") for _ in range(3)]
    assert pages[0][-1] == "-- press Return for more --"
    assert pages[2][-1] == "> "


def test_long_lines_are_folded_for_those_who_want_it() -> None:
    scene = Scene([account("sixbot", linelength=30), account("marvin")])
    scene.clip("sixbot")
    assert all(len(line) <= 30 for line in scene.send("sixbot", "help"))


def test_a_bell_rings_for_those_who_want_it() -> None:
    scene = Scene([account("sixbot", "bell"), account("marvin")])
    scene.clip("sixbot")
    scene.clip("marvin")
    scene.heard("sixbot")
    scene.send("marvin", "tell sixbot hi")
    assert scene.heard("sixbot") == ["\x0712 marvin hi"]


def test_a_new_password_needs_the_old_one() -> None:
    scene = lobby()
    assert scene.send("sixbot", "password wrong newer99") == ["** Sorry. Old password not correct."]
    assert (
        scene.send("sixbot", "password secret99:newer99:newer99") == []
    )  # after a mistake, a pause
    scene.tick(1.0)
    assert scene.heard("sixbot") == ["Password changed."]
    assert scene.account("sixbot").password == "newer99"


def test_nothing_that_is_typed_can_forge_a_line() -> None:
    scene = lobby()
    scene.send("sixbot", "tell marvin one\r\ntwo\x07\xff")
    (line,) = (x for x in scene.heard("marvin") if x.startswith("12"))
    assert line == "12 sixbot onetwo?"


def test_an_unknown_help_topic_is_said_to_be_unknown() -> None:
    scene = lobby()
    assert scene.send("sixbot", "help move")[0].startswith("move 8-5")
    assert scene.send("sixbot", "help me") == ["** There is no help for 'me'."]
    assert len(scene.send("sixbot", "help")) > 5


def test_repbot_answers_where_it_is_switched_on() -> None:
    scene = Scene([account("sixbot", experience=7)], dialect=Dialect(repbot=True))
    scene.clip("sixbot")
    assert scene.send("sixbot", "tell RepBotNG ask sixbot") == [
        "16 RepBotNG ask sixbot",
        "12 RepBotNG sixbot's reputation is 7 (GOOD)",
    ]


def test_average_counts_the_users_of_each_hour() -> None:
    scene = lobby()
    scene.tick(60.0)
    here = len(scene.world.server.online)
    head, row = scene.send("sixbot", "average")
    assert head == "Time (UTC)  average min max"
    hour = int(scene.now // 3_600) % 24
    assert row == f"{hour:02}:00-{hour:02}:59 {here:10.1f} {here:3} {here:3}"
    scene.tick(3_600.0)
    assert len(scene.send("sixbot", "average")) == 3
