"""The types of single settings: numbers, names, texts and addresses, and their checks."""

from __future__ import annotations

import datetime as dt
import re
from ipaddress import ip_network
from string import Formatter
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, JsonValue

from sixprime.engine.system.endpoint import Endpoint
from sixprime.protocols.fibs.wire import LONGEST_COMMAND, LONGEST_MATCH, LONGEST_NAME

TARGET = "target_rating"  # the property of a level; a number alone means the same


class Section(BaseModel):
    """A section: frozen, unknown keys forbidden, no guessing of types."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        hide_input_in_errors=True,
        allow_inf_nan=False,
        use_attribute_docstrings=False,
        defer_build=True,  # many commands read a few sections, or none
    )

    @classmethod
    def usual(cls) -> Self:
        """Return all defaults; unlike `cls()`, this builds no validator."""
        return cls.model_construct()


def setting(default: Any, description: str, **limits: Any) -> Any:
    """Return a field of a section; its description is the comment in the example file."""
    return Field(default=default, description=description, **limits)


def _match_length(length: int) -> int:
    if not 1 <= length <= LONGEST_MATCH:
        raise ValueError(f"{length} is not a match length, 1 to {LONGEST_MATCH}")
    return length


def user_name(name: str) -> str:
    """Return the name, unchanged; ValueError if a server would not take it."""
    if not re.fullmatch(r"[A-Za-z0-9_]+", name) or len(name) > LONGEST_NAME:
        raise ValueError("not a user name: letters, digits and _ only")
    return name


def like(pattern: str, wrong: str) -> AfterValidator:
    """Check texts against a pattern; `wrong` is the fault of any other."""

    def check(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError(wrong)
        return text

    return AfterValidator(check)


def _one_line(text: str) -> str:
    if not text.isprintable():
        raise ValueError("not one printable line")
    return text


def _talk(text: str) -> str:
    if not text.isascii() or not (text == "" or text.isprintable()):
        raise ValueError("servers take plain ASCII on one line only")
    if len(text) > LONGEST_COMMAND - LONGEST_NAME - 10:
        raise ValueError(f"too long for one line of the server: {len(text)} characters")
    return text


def with_fields(*known: str) -> AfterValidator:
    """Check that a text contains no `{fields}` but these."""

    def check(text: str) -> str:
        try:
            parts = list(Formatter().parse(text))
        except ValueError as error:
            raise ValueError(f"braces do not match: {error}") from error
        for _, field, spec, conversion in parts:
            if field is not None and field not in known:
                raise ValueError(f"no field {{{field}}}, known: {{{'}, {'.join(known)}}}")
            if spec or conversion:
                raise ValueError(f"{{{field}}} takes no format, write it without ':' and '!'")
        return text

    return AfterValidator(check)


def _pattern(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(f"'{text}' is not a regular expression: {error}") from error
    return text


def _level(level: str | dict[str, JsonValue]) -> str | dict[str, JsonValue]:
    if isinstance(level, dict) and not level:
        raise ValueError("a level of one's own needs at least one setting, such as 'plies'")
    if isinstance(level, dict) and TARGET in level:
        rating = level[TARGET]
        if rating != "opponent" and (
            isinstance(rating, bool) or not isinstance(rating, int | float)
        ):
            raise ValueError("target_rating is a number, or 'opponent'")
        if rating != "opponent" and len(level) == 1:  # a cube of its own reaches further
            _check_rating(float(rating))
    return level


def _check_rating(rating: float) -> None:
    from sixprime.engine.search.ratingtable import BadRating, shipped_ratings  # takes long

    try:
        shipped_ratings().check(rating)
    except BadRating as error:
        raise ValueError(f"target_rating: {error}") from None


def _name_or_mapping(level: object) -> object:
    if isinstance(level, int | float) and not isinstance(level, bool):
        return {TARGET: level}
    if isinstance(level, str) and level.isdecimal():
        return {TARGET: int(level)}
    if not isinstance(level, str | dict) or level == "":
        raise ValueError("a level is a name or a mapping")
    return level


def _hours(text: str) -> str:
    begin, _, end = text.partition("-")
    if not all(re.fullmatch(r"([01][0-9]|2[0-3]):[0-5][0-9]", each) for each in (begin, end)):
        raise ValueError("not HH:MM-HH:MM, such as 22:00-07:00")
    if begin == end:
        raise ValueError(f"begins and ends at {begin}, give two times")
    return text


def is_within(hours: str, time: dt.time) -> bool:
    """Return whether the time is between these hours, which may go over midnight."""
    begin, _, end = hours.partition("-")
    now = f"{time:%H:%M}"
    return begin <= now < end if begin < end else not end <= now < begin


def _address(text: str) -> str:
    Endpoint.parse(text)
    return text


def _network(text: str) -> str:
    try:
        ip_network(text)
    except ValueError:
        raise ValueError("not an address such as 127.0.0.1, or 172.18.0.0/16") from None
    return text


MatchLength = Annotated[int, AfterValidator(_match_length)]
UserName = Annotated[str, AfterValidator(user_name)]
ProfileName = Annotated[str, AfterValidator(_one_line)]
Word = Annotated[str, like(r"[!-~]{1,60}", "not one printable word")]
Talk = Annotated[str, AfterValidator(_talk)]
Level = Annotated[
    str | dict[str, JsonValue], AfterValidator(_level), BeforeValidator(_name_or_mapping)
]
Database = Annotated[
    str,
    like(
        r"[a-z][a-z0-9+]*://(?s:.*)",
        "not a database URL; a file is written sqlite:///archive/sixprime.db",
    ),
    # or the rest of a password would be the host, which error messages name
    like(r"sqlite(?s:.*)|[^@]*(@[^@]*)?", "a @ in a password, or after it, is written %40"),
]
FileName = Annotated[
    str,
    with_fields("date", "time", "player", "opponent", "length", "server", "id"),
    like(r"[^/\0]*", "a name of files in one folder has no '/'"),
]
Pattern = Annotated[str, AfterValidator(_pattern)]
Address = Annotated[str, AfterValidator(_address)]
Network = Annotated[str, AfterValidator(_network)]
WebAddress = Annotated[str, like(r"https?://[!-~]+", "not http://... or https://...")]
MailAddress = Annotated[
    str, like(r"[!-?A-~]+@[A-Za-z0-9.-]+", "not an address such as me@example.org")
]
Hours = Annotated[str, AfterValidator(_hours)]
Share = Annotated[float, Field(ge=0, le=1)]
Seconds = Annotated[float, Field(ge=0)]
SomeSeconds = Annotated[float, Field(gt=0)]
Count = Annotated[int, Field(ge=0)]
Rating = Annotated[float, Field(ge=0, le=4000)]
