"""What we answer, and to whom we do not."""

from __future__ import annotations

import pytest

from sixprime.bot.client.lobby.chat import Chatter, Facts, Topic, topic_of
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
    assert all(talk.answers(tell(each), None, 1.0) for each in listed)


def test_one_user_gets_five_answers_in_five_minutes() -> None:
    talk = chatter()
    said = [talk.answers(tell("help"), None, float(t)) for t in range(0, 600, 10)]
    times = [10 * i for i, answer in enumerate(said) if answer is not None]
    assert times == [0, 10, 20, 30, 40, 300, 310, 320, 330, 340]


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
    answers = [talk.answers(tell(word), None, 0.0) for word in ("help", "level", "stats")]
    texts = [greeting.text, farewell.text, *(a.filled(FACTS).text for a in answers if a)]
    assert len(texts) == 5
    assert [topic_of(text) for text in texts] == [None] * 5


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
