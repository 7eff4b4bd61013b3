"""The settings of `sixprime play`, validated and frozen.

`bot/settings/file.py` reads them from YAML and names each fault by its path; `config/fibs.yaml`
shows all of them. The description of a field is the comment in that file. Passwords are never
settings: the account only says where its password is (see `bot/settings/passwords.py`).
"""

from __future__ import annotations

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
    Pattern,
    Rating,
    Seconds,
    Section,
    Share,
    SomeSeconds,
    Talk,
    UserName,
    Word,
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
    """How we dial again; the pause doubles until `most_s`."""

    first_s: SomeSeconds = Field(default=10.0, description="the pause after the first failure")
    most_s: SomeSeconds = Field(default=900.0, description="the longest pause")
    jitter: float = Field(
        default=0.2, ge=0, le=1, description="lengthen each pause by up to this share, at random"
    )
    steady_after_s: Seconds = Field(
        default=300.0, description="start from first_s again after being logged in this long"
    )
    after_kick_s: Seconds = Field(
        default=300.0, description="at least this long after another login of the same account"
    )

    @model_validator(mode="after")
    def _in_order(self) -> Reconnect:
        if self.most_s < self.first_s:
            raise ValueError("most_s is less than first_s")
        return self


class ServerSettings(Section):
    """Where we play."""

    host: Word = Field(default="fibs.com", description="name or address of the server")
    port: int = Field(default=4321, ge=1, le=65535, description="its port")
    connect_within_s: SomeSeconds = Field(
        default=20.0, description="give up dialling after this time"
    )
    command_gap_s: Seconds = Field(
        default=0.25, description="between two commands; servers lose commands that come in a burst"
    )
    stop_within_s: SomeSeconds = Field(
        default=10.0,
        description="when stopping, wait this long for the server to save and say good-bye",
    )
    reconnect: Reconnect = Field(default=Reconnect.usual(), description="how we dial again")


class AccountSettings(Section):
    """Who we are. The password is in none of these settings."""

    user: UserName = Field(description="the account's name, in exact case")
    client: Word = Field(
        default="sixprime_bot", description="shown to everybody; should say that we are a bot"
    )
    password_env: str | None = Field(
        default="SIXPRIME_PASSWORD", description="the password is in this environment variable,"
    )
    password_file: Path | None = Field(
        default=None, description="or else the first line of this file,"
    )
    password_prompt: bool = Field(
        default=True, description="or else asked for, if there is a terminal"
    )


# --- how we play


class Pace(Section):
    """A humane pace: from what we see to what we do, drawn by chance; thinking counts."""

    least_s: Seconds = Field(
        default=0.6, description="the shortest time for a roll, a move, an answer"
    )
    most_s: Seconds = Field(default=1.8, description="the longest, unless thinking takes longer")

    @model_validator(mode="after")
    def _in_order(self) -> Pace:
        if self.most_s < self.least_s:
            raise ValueError("most_s is less than least_s")
        return self


class Thinking(Section):
    """What a decision may cost."""

    within_s: SomeSeconds = Field(
        default=8.0, description="a decision that takes longer is made again at cheaper_level"
    )
    cheaper_level: Level = Field(default="expert", description="for the second try")
    cheaper_within_s: SomeSeconds = Field(default=3.0, description="and then at 0-ply, at once")
    threads: int = Field(default=1, ge=1, le=256, description="of one decision")


class Patience(Section):
    """With slow opponents and lost ones."""

    ask_after_s: Seconds = Field(default=90.0, description="ask a silent opponent once; 0: never")
    leave_after_s: Seconds = Field(
        default=360.0, description="leave after this time (the match is saved); 0: never"
    )
    keep_place_s: Seconds = Field(
        default=120.0, description="after a drop wait this long for the opponent before new matches"
    )


class PlayerSettings(Section):
    """How strong and how fast we play."""

    level: Level = Field(
        default="world-class",
        description=f"{', '.join(LEVELS)};\n"
        "or one of levels_file, or {target_rating: 1600} (or opponent), or a mapping",
    )
    cube_level: Level | None = Field(default=None, description="for cube decisions; null: as level")
    levels_file: Path | None = Field(
        default=None, description="more levels, see config/levels.yaml"
    )
    resign: Literal["never", "when-certain"] = Field(
        default="when-certain",
        description="never, or when-certain: games that cannot be won any more",
    )
    pace: Pace = Field(default=Pace.usual(), description="a human pace")
    thinking: Thinking = Field(default=Thinking.usual(), description="what a decision may cost")
    patience: Patience = Field(
        default=Patience.usual(), description="with slow opponents and lost ones"
    )


# --- the lobby


class Window(Section):
    """From least to most, both included; null is no bound."""

    least: Rating | None = Field(default=None, description="null: no bound")
    most: Rating | None = Field(default=None, description="null: no bound")

    @model_validator(mode="after")
    def _in_order(self) -> Window:
        if self.least is not None and self.most is not None and self.most < self.least:
            raise ValueError("most is less than least")
        return self

    def holds(self, value: float) -> bool:
        """Is it inside?"""
        return (self.least is None or value >= self.least) and (
            self.most is None or value <= self.most
        )


class ExperienceWindow(Window):
    """The same for experience."""

    least: Count | None = Field(default=None, description="null: no bound")
    most: Count | None = Field(default=None, description="null: no bound")


class ReputationSettings(Section):
    """What RepBot and our own archive say about who invites us."""

    ask: bool = Field(default=False, description="ask RepBot about strangers")
    repbot: UserName = Field(default="RepBotNG", description="its name")
    least: int = Field(default=0, description="decline below")
    within_s: SomeSeconds = Field(
        default=8.0, description="go on without an answer after this time"
    )
    remember_s: SomeSeconds = Field(
        default=3600.0, description="ask once in this time about one user"
    )
    drops: Count = Field(
        default=3,
        description="who left this many matches while behind, and more than one in ten, by\n"
        "our archive, is warned and invited last; 0: nobody",
    )
    decline_drops: bool = Field(
        default=False, description="and decline him while somebody else is ready"
    )


class AcceptSettings(Section):
    """Whose invitations we accept."""

    match_lengths: tuple[MatchLength, ...] = Field(default=(1, 3, 5, 7), description="in points")
    unlimited: bool = Field(default=False, description="unlimited matches (they are not rated)")
    rating: Window = Field(default=Window.usual(), description="of the opponent")
    experience: ExperienceWindow = Field(
        default=ExperienceWindow.usual(), description="of the opponent"
    )
    experience_for_length: dict[Annotated[str, Field(pattern=r"^[1-9][0-9]?$")], Count] = Field(
        default={}, description="matches longer than so many points need this experience: {7: 100}"
    )
    bots: bool = Field(default=False, description="other bots")
    block: tuple[UserName, ...] = Field(default=(), description="never these")
    block_file: Path | None = Field(
        default=None, description="nor those in this file, one a line; read again when it changes"
    )
    allow: tuple[UserName, ...] = Field(
        default=(), description="these always, whatever their rating, experience and reputation"
    )
    allow_file: Path | None = Field(default=None, description="and those in this file")
    only_allowed: bool = Field(default=False, description="nobody but these")
    matches_per_opponent_and_day: Count = Field(default=20, description="0: no limit")
    matches_per_day: Count = Field(default=0, description="0: no limit")
    reputation: ReputationSettings = Field(
        default=ReputationSettings.usual(), description="what RepBot and our archive say"
    )

    @model_validator(mode="after")
    def _something(self) -> AcceptSettings:
        if self.only_allowed and not (self.allow or self.allow_file):
            raise ValueError("only_allowed with an empty list 'allow' accepts nobody")
        twice = set(self.allow) & set(self.block)
        if twice:
            raise ValueError(f"'{min(twice)}' is in both 'allow' and 'block'")
        return self


class InviteSettings(Section):
    """Whom we invite ourselves."""

    after_idle_s: Seconds = Field(default=0.0, description="after this long in the lobby; 0: never")
    match_length: MatchLength = Field(default=1, description="in points")
    whom: Literal["preferred", "anyone"] = Field(
        default="preferred", description="preferred, or anyone (preferred ones first)"
    )
    preferred: tuple[UserName, ...] = Field(
        default=(), description="best first; bots too, whatever accept says"
    )
    preferred_file: Path | None = Field(default=None, description="then those in this file")
    rating: Window = Field(default=Window.usual(), description="of whom we invite")
    wait_s: SomeSeconds = Field(default=60.0, description="no answer in this time is a no")
    leave_alone_s: Seconds = Field(
        default=86400.0, description="leave whoever said no alone for this long"
    )


class Lobby(Section):
    """With whom we play."""

    accept: AcceptSettings = Field(
        default=AcceptSettings.usual(), description="whose invitations we accept"
    )
    invite: InviteSettings = Field(
        default=InviteSettings.usual(), description="whom we invite ourselves"
    )
    humans_first: Share = Field(
        default=0.0,
        description="while people are here, keep this share of our matches for them: 1 is all;\n"
        "they are here when they are ready, or have played or invited us within half an hour",
    )
    games_in_a_row: Count = Field(
        default=0, description="matches with one opponent; then others come first; 0: no limit"
    )
    rematches: bool = Field(
        default=False, description="invite an opponent to a rematch after the match, once"
    )
    quiet_hours: Hours | None = Field(
        default=None, description='"22:00-07:00", local time: begin no new matches; null: never'
    )
    resume_saved: bool = Field(
        default=True, description="invite opponents of saved matches when they are ready"
    )
    resume_again_after_s: SomeSeconds = Field(
        default=600.0, description="but not more often than this"
    )
    decline_again_after_s: Seconds = Field(
        default=3600.0, description="give one user the same reason at most once in this time"
    )
    paused: bool = Field(default=False, description="log in, but play nobody")
    away: Talk = Field(default="I am resting.", description="said to others when we are paused")


# --- talk


Greeting = Annotated[Talk, with_fields("opponent", "length", "level")]
Farewell = Annotated[Talk, with_fields("opponent", "score")]
Answer = Annotated[Talk, with_fields("opponent", "level", "rating", "experience", "record")]


class Chat(Section):
    """What we say; an empty text is not said. We always say that we are a bot when asked."""

    greeting: Greeting = Field(
        default="Hello {opponent}, I am a bot. Good luck!", description="when a match begins"
    )
    farewell: Farewell = Field(
        default="Thank you for the match, {opponent}.", description="when it is over"
    )
    answers: bool = Field(default=True, description="answer the questions below")
    help: Answer = Field(
        default="I am a bot. Invite me to a match, or ask me: help, level, stats, bot?",
        description="to 'help'",
    )
    level: Answer = Field(default="I am a bot and play at level {level}.", description="to 'level'")
    stats: Answer = Field(
        default="My rating is {rating}, my experience {experience}; against you: {record}.",
        description="to 'stats'",
    )
    bot: Answer = Field(default="Yes, I am a bot, a computer program.", description="to 'bot?'")
    answers_per_user: Count = Field(default=5, description="answers to one user")
    per_s: SomeSeconds = Field(default=300.0, description="in this time")
    answers_per_minute: Count = Field(default=6, description="to all users together")
    bots: tuple[Pattern, ...] = Field(
        default=(
            r"(?i)repbot.*",
            r"(?i)(.*_)?bot(_.*|[0-9]*)",
            r".*[a-z0-9_]Bot([A-Z0-9_].*)?",
            r"(?i)gnu_?bg.*",
            r"(?i)bg_?blitz.*",
        ),
        description="user or client names (regular expressions) that are never answered",
    )


# --- the record


class ArchiveSettings(Section):
    """What is kept of each match."""

    database: Database | None = Field(
        default=ArchivePlace.database,
        repr=False,
        description="a SQLAlchemy URL; null: nothing is kept",
    )
    database_password_env: str | None = Field(
        default=None, description="a server's password is in this environment variable,"
    )
    database_password_file: Path | None = Field(
        default=None, description="or the first line of this file; null: in neither"
    )
    folder: Path | None = Field(
        default=ArchivePlace.folder, description="for match files; null: none"
    )
    formats: tuple[Literal["oldmoves", "sgf", "mat"], ...] = Field(
        default=FORMATS, description=f"of the files: {', '.join(FORMATS)}"
    )
    file_name: FileName = Field(
        default=ArchivePlace.file_name,
        description="without suffix; {date} {time} {player} {opponent} {length} {server} {id}",
    )
    raw_log: bool = Field(default=True, description="keep what went over the wire in each match")
    raw_log_kib: int = Field(default=512, ge=1, description="at most this much of one match")
    raw_log_days: Count = Field(
        default=0, description="delete it this many days after the match, which stays; 0: never"
    )


class Logging(Section):
    """What the operator reads."""

    level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="debug, info, warning or error"
    )
    format: Literal["console", "json"] = Field(default="console", description="console or json")
    file: Path | None = Field(default=None, description="null: standard error")
    rotate_mib: Count = Field(
        default=16, description="move a larger file to FILE.1; 0: never, or logrotate does it"
    )
    rotate_days: Count = Field(default=0, description="and after this many days (UTC); 0: never")
    keep: Count = Field(default=5, description="how many old ones are kept")


class MetricsSettings(Section):
    """For Prometheus, health checks and `sixprime status`."""

    listen: Address | None = Field(
        default="127.0.0.1:9321", description="/metrics, /health and /status; null: nothing listens"
    )


class WebSettings(Section):
    """The pages in the browser; needs the extra `web`."""

    listen: Address | None = Field(
        default=None, description="such as 127.0.0.1:8760; null: nothing listens"
    )
    names: tuple[Word, ...] = Field(
        default=(), description="under which others reach it, such as [bots.example.org]"
    )
    password_file: Path | None = Field(
        default=None, description="its first line is the password; needed beyond this machine"
    )
    watch_password_file: Path | None = Field(
        default=None, description="the same, for people who may only watch"
    )
    token_file: Path | None = Field(
        default=None, description="its first line, 32 characters or more, works like the password"
    )
    proxies: tuple[Word, ...] = Field(
        default=(),
        description="addresses whose X-Forwarded-For is believed, such as [127.0.0.1]",
    )


class ControlSettings(Section):
    """For `sixprime control`."""

    socket: Path | None = Field(
        default=AUTO,
        description="in a folder only you can enter; auto: in the cache; null: nothing listens",
    )


class Profile(Section):
    """One bot."""

    name: str
    server: ServerSettings = Field(default=ServerSettings.usual(), description="where we play")
    account: AccountSettings = Field(description="who we are")
    player: PlayerSettings = Field(
        default=PlayerSettings.usual(), description="how strong and how fast we play"
    )
    lobby: Lobby = Field(default=Lobby.usual(), description="with whom we play")
    chat: Chat = Field(default=Chat.usual(), description="what we say")
    archive: ArchiveSettings = Field(
        default=ArchiveSettings.usual(), description="what is kept of each match"
    )


class Config(Section):
    """Everything that one process does."""

    profiles: tuple[Profile, ...]
    logging: Logging = Field(default=Logging.usual(), description="what the operator reads")
    notices: NoticeSettings = Field(
        default=NoticeSettings.usual(), description="how you hear that something is wrong"
    )
    metrics: MetricsSettings = Field(
        default=MetricsSettings.usual(), description="for Prometheus, health checks and `status`"
    )
    control: ControlSettings = Field(
        default=ControlSettings.usual(), description="the socket of `sixprime control`"
    )
    web: WebSettings = Field(default=WebSettings.usual(), description="the pages in the browser")
