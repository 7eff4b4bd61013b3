"""What we answer, and to whom we do not."""

from __future__ import annotations

import pytest

from sixprime.bot.client.lobby.chat import ChatAnswer, Chatter, Facts, Topic, topic_of
from sixprime.bot.settings.schema import Chat
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.messages import Message, Player
from sixprime.protocols.fibs.wire.talk import Kibitzed, Said, Shouted
from sixprime.protocols.fibs.wire.users import User

MARVIN = Player("marvin")
FACTS = Facts("expert", 1623.4, 250, "3 won, 2 lost")

ASKED = [
    ("help", Topic.HELP),
    ("HELP!", Topic.HELP),
    ("hello", Topic.HELP),
    ("bot?", Topic.BOT),
    ("are you a bot?", Topic.BOT),
    ("R U human???", Topic.BOT),
    ("level", Topic.LEVEL),
    ("What is your level?", Topic.LEVEL),
    ("how good are you", Topic.LEVEL),
    ("stats", Topic.STATS),
    ("your rating?", Topic.STATS),
    ("are you a bot", Topic.BOT),
    ("you're a robot?", Topic.BOT),
    ("Is this a real person?", Topic.BOT),
    ("who are you?", Topic.BOT),
    ("what's your level", Topic.LEVEL),
    ("whats your rating?", Topic.STATS),
    ("hi", Topic.HELP),
    ("good evening!", Topic.HELP),
    ("roll", None),
    ("", None),
    ("help me move my furniture tomorrow", None),
    ("accept", None),
    ("x" * 100_000, None),
    ("marvin doubles. Type 'accept' or 'reject'.", None),
]


@pytest.mark.parametrize(("text", "topic"), ASKED)
def test_a_question_is_known_by_its_words(text: str, topic: Topic | None) -> None:
    assert topic_of(text) is topic


def chatter(**settings: object) -> Chatter:
    return Chatter(Chat.model_validate(settings), "expert")


def tell(text: str, name: Player = MARVIN) -> Message:
    return Said(name, text)


def test_answers_are_honest_and_tell_the_facts() -> None:
    said = [chatter().answers(tell(word), None, 0.0) for word in ("bot?", "level", "stats")]
    assert [answer and answer.tells_record for answer in said] == [False, False, True]
    assert [answer and answer.filled(FACTS) for answer in said] == [
        c.Tell(MARVIN, "Yes, I am a bot, a computer program."),
        c.Tell(MARVIN, "I am a bot; my level is expert."),
        c.Tell(MARVIN, "My rating is 1623.40, my experience 250; against you: 3 won, 2 lost."),
    ]


def test_unknown_facts_are_said_to_be_unknown() -> None:
    answer = chatter().answers(tell("stats"), None, 0.0)
    assert answer is not None
    assert "rating is unknown" in answer.filled(Facts("expert")).line()


@pytest.mark.parametrize("message", [Shouted(MARVIN, "help"), Kibitzed(MARVIN, "help")])
def test_only_what_is_told_to_us_is_answered(message: Message) -> None:
    assert chatter().answers(message, None, 0.0) is None


def test_whoever_asks_all_that_help_lists_is_answered() -> None:
    talk = chatter()
    answer = talk.answers(tell("help"), None, 0.0)
    assert answer is not None
    listed = answer.filled(FACTS).text.partition("ask me: ")[2].rstrip(".").split(", ")
    assert len(listed) == len(Topic)
    assert all(talk.answers(tell(each), None, 1.0) for each in listed if each != "help")


@pytest.mark.parametrize(
    ("text", "beginning"),
    [
        ("thanks!", "Thank you"),
        ("thx", "Thank you"),
        ("Nice game", "Thank you"),
        ("rematch?", "Gladly"),
        ("do you want a rematch?", "Gladly"),
        ("can we resume?", "Invite me without"),
        ("saved match", "Invite me without"),
        ("what are your rules?", "Invite me:"),
        ("why did you double?", "I compare"),
        ("why??", "I compare"),
    ],
)
def test_the_table_of_the_settings_answers_the_rest(text: str, beginning: str) -> None:
    answer = chatter().answers(tell(text), None, 0.0)
    assert answer is not None
    assert answer.text.startswith(beginning)


def test_an_operator_has_a_table_of_his_own() -> None:
    talk = chatter(others={"wie gehts": "Gut, {opponent}."})
    answer = talk.answers(tell("Wie geht's?"), None, 0.0)
    assert answer is None  # punctuation becomes a space
    answer = talk.answers(tell("Wie gehts?"), None, 0.0)
    assert answer is not None
    assert answer.filled(FACTS).text == "Gut, marvin."
    assert talk.answers(tell("thanks"), None, 0.0) is None


def test_nobody_hears_the_same_twice_within_five_minutes() -> None:
    talk = chatter()
    said = [talk.answers(tell("help"), None, float(t)) for t in range(0, 600, 10)]
    assert [10 * i for i, answer in enumerate(said) if answer is not None] == [0, 300]
    assert talk.answers(tell("hello", Player("trillian")), None, 0.0) is not None


def test_one_user_gets_five_answers_in_five_minutes() -> None:
    talk = chatter()
    asked = ("help", "bot?", "level", "stats", "thanks", "rematch", "rules")
    said = [talk.answers(tell(text), None, float(t)) for t, text in enumerate(asked)]
    assert [answer is not None for answer in said] == [True] * 5 + [False] * 2


def test_a_flood_from_many_is_answered_six_times_a_minute() -> None:
    talk = chatter()
    said = [talk.answers(tell("help", Player(f"user_{i}")), None, 1.0) for i in range(500)]
    assert sum(answer is not None for answer in said) == 6
    assert talk.answers(tell("help"), None, 62.0) is not None


@pytest.mark.parametrize("name", ["RepBotNG", "six_bot", "GammonBot_XII"])
def test_bots_are_never_answered(name: str) -> None:
    assert chatter().answers(tell("help", Player(name)), None, 0.0) is None


def test_a_bot_is_known_by_its_client_too() -> None:
    user = User(MARVIN, None, None, True, False, 1500.0, 0, 0, 0, "h", "sixprime_bot", "-")
    assert chatter().answers(tell("help"), user, 0.0) is None


def test_two_of_us_never_talk_for_ever() -> None:
    """What one says is no question to the other."""
    talk = chatter(bots=())
    greeting, farewell = talk.greets(MARVIN, 5, 0.0), talk.parts(MARVIN, (5, 3))
    assert isinstance(greeting, c.Kibitz)
    assert isinstance(farewell, c.Tell)
    settings = Chat.usual()
    said = [settings.help, settings.level, settings.stats, settings.bot, *settings.others.values()]
    texts = [ChatAnswer(MARVIN, each).filled(FACTS).text for each in said]
    for each in [greeting.text, farewell.text, *texts]:
        assert talk.answers(tell(each), None, 0.0) is None


def test_we_say_that_we_are_a_bot_when_a_match_begins() -> None:
    talk = chatter()
    assert talk.greets(MARVIN, 5, 0.0) == c.Kibitz("Hello marvin, I am a bot. Good luck!")
    assert talk.greets(MARVIN, 5, 60.0) is None  # resumed at once
    assert talk.greets(Player("trillian"), None, 60.0) is not None


def test_an_empty_text_is_not_said() -> None:
    talk = chatter(greeting="", farewell="", help="", answers=True)
    assert talk.greets(MARVIN, 5, 0.0) is None
    assert talk.parts(MARVIN, (5, 3)) is None
    assert talk.answers(tell("help"), None, 0.0) is None
    assert chatter(answers=False).answers(tell("bot?"), None, 0.0) is None


def test_everything_we_say_is_a_legal_command() -> None:
    long_name = Player("n" * 40)
    talk = chatter(greeting="{opponent} {level} " + "x" * 180, help="y {record}")
    greeting = talk.greets(long_name, 5, 0.0)
    answer = talk.answers(tell("help", long_name), None, 0.0)
    assert greeting is not None
    assert answer is not None
    for command in (greeting, answer.filled(Facts("expert", 1.0, 1, "z" * 500))):
        assert len(command.line()) <= 255
