"""The settings of `sixprime play`, validated and frozen.

`bot/settings/file.py` reads them from YAML and names each fault by its path; `config/fibs.yaml`
shows all of them, with the descriptions of the fields as comments. Passwords are never settings:
the account only says where its password is (see `bot/settings/passwords.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, model_validator

from sixprime.bot.settings.archiveplace import ArchivePlace
from sixprime.bot.settings.notices import NoticeSettings
from sixprime.bot.settings.values import (
    Address,
    Count,
    Database,
    FileName,
    Hours,
    Level,
    MatchLength,
    Network,
    Pattern,
    ProfileName,
    Rating,
    Seconds,
    Section,
    Share,
    SomeSeconds,
    Talk,
    UserName,
    Word,
    setting,
    with_fields,
)

LEVELS = (
    "beginner", "casual", "intermediate", "advanced", "expert", "world-class", "supremo",
    "grandmaster", "4ply", "roller",
)  # fmt: skip
PIPS = "pips"  # a plain player without an engine, for tests and small machines
AUTO = Path("auto")  # the control socket finds a place of its own
FORMATS = ArchivePlace.formats


# --- server and account


class Reconnect(Section):
    """Dialling again; the pause doubles until `most_s`."""

    first_s: SomeSeconds = setting(10.0, "the pause after the first failure")
    most_s: SomeSeconds = setting(900.0, "the longest pause; up to an hour after a refusal")
    jitter: float = setting(0.2, "lengthen each pause by up to this share, at random", ge=0, le=1)
    steady_after_s: Seconds = setting(
        300.0, "start from first_s again after being logged in this long"
    )
    after_kick_s: Seconds = setting(
        300.0, "wait at least this long after another login to this account"
    )

    @model_validator(mode="after")
    def _in_order(self) -> Reconnect:
        if self.most_s < self.first_s:
            raise ValueError("most_s has to be at least first_s")
        return self


PUBLIC_SERVERS: Mapping[object, Mapping[str, object]] = {
    "bgammon": {"host": "bgammon.org", "port": 1337}
}  # where the defaults are not FIBS's own


class ServerSettings(Section):
    kind: Literal["fibs", "bgammon"] = setting(
        "fibs", "the server's protocol: fibs; or bgammon: bgammon.org, port 1337, by default"
    )
    host: Word = setting("fibs.com", "name or address of the server")
    port: int = setting(4321, "its port", ge=1, le=65535)
    connect_within_s: SomeSeconds = setting(20.0, "give up dialling after this time")
    command_gap_s: Seconds = setting(
        0.25, "between two commands; servers lose commands that come in a burst"
    )
    stop_within_s: SomeSeconds = setting(
        10.0, "when stopping, wait this long for the server to save and say good-bye"
    )
    reconnect: Reconnect = setting(Reconnect.usual(), "dialling again")

    @model_validator(mode="before")
    @classmethod
    def _of_its_kind(cls, given: object) -> object:
        usual = PUBLIC_SERVERS.get(given.get("kind")) if isinstance(given, dict) else None
        return {**usual, **given} if usual and isinstance(given, dict) else given


class AccountSettings(Section):
    """Our account. The password is in none of these settings."""

    user: UserName = Field(description="the account's name, in exact case")
    guest: bool = setting(False, "log in without a password, where the server allows it: bgammon")
    client: Word = setting("sixprime_bot", "shown to everybody; should say that we are a bot")
    password_env: str | None = setting(
        "SIXPRIME_PASSWORD", "the password is in this environment variable,"
    )
    password_file: Path | None = setting(None, "or else the first line of this file,")
    password_prompt: bool = setting(True, "or else you are asked for it, if there is a terminal")


# --- how we play


class Pace(Section):
    """A humane pace from each board to our action; thinking counts."""

    least_s: Seconds = setting(0.6, "the shortest time for a roll, a move, an answer")
    most_s: Seconds = setting(1.8, "the longest, unless thinking takes longer")
    like: Literal["chance", "people"] = setting(
        "chance",
        "chance: any time between; people: longer for close choices, many plays and the cube\n"
        "(most_s: 12 gives them room), at once where there is no choice",
    )

    @model_validator(mode="after")
    def _in_order(self) -> Pace:
        if self.most_s < self.least_s:
            raise ValueError("most_s has to be at least least_s")
        return self


class Thinking(Section):
    """The time and threads of a decision."""

    within_s: SomeSeconds = setting(
        8.0, "a decision that takes longer is made again at cheaper_level"
    )
    cheaper_level: Level = setting("expert", "the level of the second try")
    cheaper_within_s: SomeSeconds = setting(3.0, "the time for it; after that, 0-ply decides")
    threads: int = setting(1, "threads of one decision", ge=1, le=256)


class Patience(Section):
    """Patience with slow opponents and lost ones."""

    ask_after_s: Seconds = setting(90.0, "ask a silent opponent once; 0: never")
    leave_after_s: Seconds = setting(
        360.0, "leave after this time (the match is saved); 0: 12 hours"
    )
    keep_place_s: Seconds = setting(
        120.0, "after a lost line, wait this long for the opponent before new matches"
    )


class PlayerSettings(Section):
    """Our strength and speed."""

    level: Level = setting(
        "world-class",
        "pr 7 plays like people of that PR (3 a world champion, 7 a club player, 14 a casual\n"
        "player); 1650 at that rating, {target_rating: opponent} at the opponent's;\n"
        f"{', '.join(LEVELS)};\n"
        "or one of levels_file, or a mapping",
    )
    cube_level: Level | None = setting(None, "the level of cube decisions; null: as level")
    levels_file: Path | None = setting(None, "more levels, see `sixprime config example levels`")
    resign: Literal["never", "when-certain", "like-people"] = setting(
        "when-certain",
        "never, when-certain: only games that can no longer be won, or like-people: a level such\n"
        "as pr 7 gives up as early as people do",
    )
    pace: Pace = setting(Pace.usual(), "a human pace")
    thinking: Thinking = setting(Thinking.usual(), "time and threads of a decision")
    patience: Patience = setting(Patience.usual(), "patience with slow and lost opponents")


# --- the lobby


class Window(Section):
    """Bounds of a rating, both included; null is no bound."""

    least: Rating | None = setting(None, "null: no bound")
    most: Rating | None = setting(None, "null: no bound")

    @model_validator(mode="after")
    def _in_order(self) -> Window:
        if self.least is not None and self.most is not None and self.most < self.least:
            raise ValueError("most is below least, swap them")
        return self

    def holds(self, value: float) -> bool:
        """Return whether the value is inside."""
        return (self.least is None or value >= self.least) and (
            self.most is None or value <= self.most
        )


class ExperienceWindow(Window):
    """Bounds of experience."""

    least: Count | None = setting(None, "null: no bound")
    most: Count | None = setting(None, "null: no bound")


class ReputationSettings(Section):
    """Inviters' reputation, by RepBot and our own archive."""

    ask: bool = setting(False, "ask RepBot about strangers")
    repbot: UserName = setting("RepBotNG", "RepBot's name on the server")
    least: int = setting(0, "decline users below this reputation")
    within_s: SomeSeconds = setting(8.0, "go on without an answer after this time")
    remember_s: SomeSeconds = setting(3600.0, "ask about one user at most once in this time")
    drops: Count = setting(
        3,
        "users who left this many matches in our archive while behind, and more than one\n"
        "in ten, are warned and invited last; 0: nobody",
    )
    decline_drops: bool = setting(False, "and decline such users while somebody else is ready")


class AcceptSettings(Section):
    """Conditions for the invitations that we accept."""

    match_lengths: tuple[MatchLength, ...] = setting((1, 3, 5, 7), "in points")
    unlimited: bool = setting(False, "accept unlimited matches (they are not rated)")
    rating: Window = setting(Window.usual(), "of the opponent")
    experience: ExperienceWindow = setting(ExperienceWindow.usual(), "of the opponent")
    experience_for_length: dict[Annotated[str, Field(pattern=r"^[1-9][0-9]?$")], Count] = setting(
        {}, "{7: 100}: matches longer than 7 points need an experience of 100"
    )
    bots: bool = setting(False, "accept other bots")
    block: tuple[UserName, ...] = setting((), "users never accepted")
    block_file: Path | None = setting(
        None, "and users in this file, one per line; read again when it changes"
    )
    allow: tuple[UserName, ...] = setting(
        (), "users always accepted, despite rating, experience and reputation"
    )
    allow_file: Path | None = setting(None, "and users in this file")
    only_allowed: bool = setting(False, "accept no other users")
    matches_per_opponent_and_day: Count = setting(20, "0: no limit")
    matches_per_day: Count = setting(0, "0: no limit")
    reputation: ReputationSettings = setting(
        ReputationSettings.usual(), "reputation by RepBot and our archive"
    )

    @model_validator(mode="after")
    def _something(self) -> AcceptSettings:
        if self.only_allowed and not (self.allow or self.allow_file):
            raise ValueError(
                "only_allowed with an empty list 'allow' accepts nobody, name users there"
            )
        twice = set(self.allow) & set(self.block)
        if twice:
            raise ValueError(f"'{min(twice)}' is in both 'allow' and 'block', remove one")
        return self


class InviteSettings(Section):
    """Our own invitations."""

    after_idle_s: Seconds = setting(0.0, "invite after this long in the lobby; 0: never")
    match_length: MatchLength = setting(1, "in points")
    whom: Literal["preferred", "anyone"] = setting(
        "preferred", "preferred, or anyone (preferred ones first)"
    )
    preferred: tuple[UserName, ...] = setting(
        (), "best first; bots too, even if accept refuses them"
    )
    preferred_file: Path | None = setting(None, "then users in this file")
    rating: Window = setting(Window.usual(), "of the invited user")
    wait_s: SomeSeconds = setting(60.0, "no answer within this time means no")
    leave_alone_s: Seconds = setting(86400.0, "leave a user alone this long after a no")


class Lobby(Section):
    """Our opponents."""

    accept: AcceptSettings = setting(AcceptSettings.usual(), "invitations that we accept")
    invite: InviteSettings = setting(InviteSettings.usual(), "our own invitations")
    humans_first: Share = setting(
        0.0,
        "keep this share of our matches for people (1: all) while one of them is ready, or has\n"
        "played or invited us within half an hour",
    )
    games_in_a_row: Count = setting(
        0, "after this many matches with one opponent, others come first; 0: no limit"
    )
    rematches: bool = setting(False, "after a match, invite the opponent to a rematch, once")
    quiet_hours: Hours | None = setting(
        None, '"22:00-07:00", local time: begin no new matches; null: never'
    )
    resume_saved: bool = setting(True, "invite opponents of saved matches when they are ready")
    resume_again_after_s: SomeSeconds = setting(600.0, "but not again within this time")
    decline_again_after_s: Seconds = setting(
        3600.0, "give one user the same reason at most once in this time"
    )
    paused: bool = setting(False, "log in, but play nobody")
    away: Talk = setting("I am resting.", "said to others while we are paused")


# --- talk


Greeting = Annotated[Talk, with_fields("opponent", "length", "level")]
Farewell = Annotated[Talk, with_fields("opponent", "score")]
Answer = Annotated[Talk, with_fields("opponent", "level", "rating", "experience", "record")]


class Chat(Section):
    """Our texts; an empty one is not said. We always say that we are a bot when asked."""

    greeting: Greeting = setting("Hello {opponent}, I am a bot. Good luck!", "when a match begins")
    farewell: Farewell = setting("Thank you for the match, {opponent}.", "when it is over")
    answers: bool = setting(True, "answer the questions below")
    help: Answer = setting(
        "I am a bot. Invite me to a match, or ask me: help, level, stats, bot?", "to 'help'"
    )
    level: Answer = setting("I am a bot; my level is {level}.", "to 'level'")
    stats: Answer = setting(
        "My rating is {rating}, my experience {experience}; against you: {record}.", "to 'stats'"
    )
    bot: Answer = setting("Yes, I am a bot, a computer program.", "to 'bot?'")
    others: Mapping[Pattern, Answer] = setting(
        {
            "thanks|thank you( very much)?|ty|thx|tnx|gg|(good|nice|well) (game|match|played)": (
                "Thank you, too."
            ),
            "rematch|again|(one )?more|play again|(do you )?want (to play )?(again|a rematch)": (
                "Gladly: invite me again."
            ),
            "resume|(can|shall) we resume|(let s )?(continue|go on)|saved( match| game)?": (
                "Invite me without a length, and our saved match goes on."
            ),
            "(what are )?(your |the )?rules|what (lengths|matches) do you (play|accept)": (
                "Invite me: if I do not want those terms, I say why."
            ),
            "why( did you| do you| would you)?( .*)?": (
                "I compare the chances of all plays. A program such as gnubg can show you why."
            ),
        },
        "to what these patterns match whole, in small letters, without punctuation",
    )
    answers_per_user: Count = setting(5, "at most this many answers to one user, each once,")
    per_s: SomeSeconds = setting(300.0, "within this time")
    answers_per_minute: Count = setting(6, "at most this many to all users together")
    bots: tuple[Pattern, ...] = setting(
        (
            r"(?i)repbot.*",
            r"(?i)(.*_)?bot(_.*|[0-9]*)",
            r".*[a-z0-9_]Bot([A-Z0-9_].*)?",
            r"(?i)gnu_?bg.*",
            r"(?i)bg_?blitz.*",
        ),
        "user or client names (regular expressions) that are never answered",
    )


# --- the record


class ArchiveSettings(Section):
    """The record of each match."""

    database: Database | None = setting(
        ArchivePlace.database, "a SQLAlchemy URL; null: nothing is kept", repr=False
    )
    database_password_env: str | None = setting(
        None, "the database's password is in this environment variable,"
    )
    database_password_file: Path | None = setting(
        None, "or the first line of this file; null: in neither"
    )
    folder: Path | None = setting(ArchivePlace.folder, "for match files; null: none")
    waiting_folder: Path | None = setting(
        None, "for events that wait for the database, best on another disk; null: beside it"
    )
    formats: tuple[Literal["oldmoves", "sgf", "mat"], ...] = setting(
        FORMATS, f"of these files: {', '.join(FORMATS)}"
    )
    file_name: FileName = setting(
        ArchivePlace.file_name,
        "without suffix; {date} {time} {player} {opponent} {length} {server} {id}",
    )
    raw_log: bool = setting(True, "keep the raw lines of each match")
    raw_log_kib: int = setting(512, "keep at most this much of one match", ge=1)
    raw_log_days: Count = setting(
        0, "delete them this many days after the match, which stays; 0: never"
    )


class Logging(Section):
    """The log for the operator."""

    level: Literal["debug", "info", "warning", "error"] = setting(
        "info", "debug, info, warning or error"
    )
    format: Literal["console", "json"] = setting("console", "console or json")
    file: Path | None = setting(None, "null: standard error")
    rotate_mib: Count = setting(16, "move a larger file to FILE.1; 0: never, or logrotate does it")
    rotate_days: Count = setting(0, "also move it after this many days (UTC); 0: never")
    keep: Count = setting(5, "number of old files to keep")


class MetricsSettings(Section):
    """For Prometheus, health checks and `sixprime status`."""

    listen: Address | None = setting(
        "127.0.0.1:9321", "/metrics, /health and /status; null: nothing listens"
    )


class WebSettings(Section):
    """The pages in the browser; needs the extra `web`."""

    listen: Address | None = setting(None, "such as 127.0.0.1:8760; null: nothing listens")
    names: tuple[Word, ...] = setting((), "other names of this machine, such as [bots.example.org]")
    password_file: Path | None = setting(
        None, "the password, 8 characters or more; needed beyond this machine"
    )
    watch_password_file: Path | None = setting(None, "the same, for people who may only watch")
    token_file: Path | None = setting(
        None, "its first line, 32 characters or more, works like the password"
    )
    proxies: tuple[Network, ...] = setting(
        (), "addresses whose X-Forwarded-For is believed, such as [127.0.0.1]"
    )


class ControlSettings(Section):
    """For `sixprime control`."""

    socket: Path | None = setting(
        AUTO, "in a folder only you can enter; auto: in the cache; null: nothing listens"
    )


class Profile(Section):
    name: ProfileName
    server: ServerSettings = setting(ServerSettings.usual(), "the server")
    account: AccountSettings = Field(description="our account")
    player: PlayerSettings = setting(PlayerSettings.usual(), "our strength and speed")
    lobby: Lobby = setting(Lobby.usual(), "our opponents")
    chat: Chat = setting(Chat.usual(), "our texts")
    archive: ArchiveSettings = setting(ArchiveSettings.usual(), "the record of each match")


class Config(Section):
    """Everything that one process does."""

    profiles: tuple[Profile, ...]
    logging: Logging = setting(Logging.usual(), "the log")
    notices: NoticeSettings = setting(NoticeSettings.usual(), "notices when something is wrong")
    metrics: MetricsSettings = setting(
        MetricsSettings.usual(), "for Prometheus, health checks and `status`"
    )
    control: ControlSettings = setting(ControlSettings.usual(), "the socket of `sixprime control`")
    web: WebSettings = setting(WebSettings.usual(), "the pages in the browser")
