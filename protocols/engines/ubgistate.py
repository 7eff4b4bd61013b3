"""The state that a UBGI client has set up: its settings, the position and the match."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from sixprime.engine.position import IllegalPosition, MatchState, Position, Variant, variant_named
from sixprime.protocols.engines import ubgi
from sixprime.protocols.formats.ids import MAX_LENGTH

PROTOCOL = "0.2"


@dataclass(frozen=True, slots=True)
class UbgiSetting:
    """A key of 0.2 and an option of 0.1, two names of one setting.

    Words have `choices`, numbers `low` and `high`, and switches neither.
    """

    key: str
    default: str
    option: str | None = None
    low: int = 0
    high: int = 0
    choices: tuple[str, ...] = ()
    others: Callable[[str], bool] | None = None  # words that are taken beside the choices
    offset: int = 0  # subtracted from the key of 0.2 for the option of 0.1

    def checked(self, text: str) -> str:
        """Return the value in canonical form; BadCommand if it is invalid."""
        if self.choices:
            valid = text in self.choices or (self.others is not None and self.others(text))
        elif self.high:
            valid = re.fullmatch("[0-9]{1,9}", text, re.ASCII) is not None and (
                self.low <= int(text) <= self.high
            )
            text = str(int(text)) if valid else text
        else:
            text = {"on": "true", "off": "false"}.get(text, text)
            valid = text in ("true", "false")
        if not valid:
            raise ubgi.BadCommand(
                ubgi.Fault.ARGUMENT, f"{self.key}: {ubgi.shown(text)} is not {self._expected()}"
            )
        return text

    def key_line(self) -> str:
        """Return its line in the answer to `keys`."""
        if self.choices:
            return f"key {self.key} enum {'|'.join(self.choices)} {self.default}"
        if self.high:
            return f"key {self.key} int {self.low}..{self.high} {self.default}"
        return f"key {self.key} bool {self.default}"

    def option_line(self) -> str:
        """Return its line in the greeting of 0.1."""
        if self.choices:
            words = " ".join(f"var {choice}" for choice in self.choices)
            return f"option name {self.option} type combo default {self.default} {words}"
        if self.high:
            default, low, high = (n - self.offset for n in (int(self.default), self.low, self.high))
            return f"option name {self.option} type spin default {default} min {low} max {high}"
        return f"option name {self.option} type check default {self.default}"

    def _expected(self) -> str:
        if self.choices:
            return "one of " + ", ".join(self.choices)
        return f"from {self.low} to {self.high}" if self.high else "true or false"


def settings_of(
    levels: tuple[str, ...],
    level: str,
    threads: int = 1,
    others: Callable[[str], bool] | None = None,
) -> dict[str, UbgiSetting]:
    """Return every setting by its key of 0.2; `engine.ply` 0 leaves the depth to the level.

    `others` tells further levels from other words.
    """
    found = (
        UbgiSetting("engine.level", level, "Level", choices=levels, others=others),
        UbgiSetting("engine.ply", "0", "EvalPlies", 0, ubgi.MAX_PLIES + 1, offset=1),
        UbgiSetting("engine.threads", str(threads), "Threads", 1, 256),
        UbgiSetting("engine.seed", "1", "Seed", 0, 2**31 - 1),
        UbgiSetting("engine.deterministic", "true", "Deterministic"),
        UbgiSetting("engine.cube", "cubeful", "EvalMode", choices=("cubeful", "cubeless")),
        UbgiSetting(
            "game.variant", "standard", "Variant", choices=tuple(each.called for each in Variant)
        ),
        UbgiSetting("game.type", "money", choices=("money", "match")),
        UbgiSetting("game.length", "0", low=0, high=MAX_LENGTH),
        UbgiSetting("game.jacoby", "true"),
        UbgiSetting("game.crawford", "true"),
    )
    return {setting.key: setting for setting in found}


@dataclass(frozen=True, slots=True)
class UbgiState:
    """The settings, position and match so far; each command makes a new state."""

    settings: dict[str, UbgiSetting]
    values: dict[str, str] = field(default_factory=dict)
    position: Position | None = None
    match: MatchState = field(default_factory=lambda: MatchState(on_roll=0, to_act=0, jacoby=True))
    old: bool = False  # the client speaks 0.1

    def value(self, key: str) -> str:
        if key not in self.settings:
            raise ubgi.BadCommand(ubgi.Fault.ARGUMENT, f"no key {ubgi.shown(key)}")
        if key == "game.type":
            return "match" if self.match.length else "money"
        if key == "game.length":
            return str(self.match.length)
        return self.values.get(key, self.settings[key].default)

    @property
    def variant(self) -> Variant:
        """The game, which a position does not tell."""
        return variant_named(self.value("game.variant"))

    def number(self, key: str) -> int:
        return int(self.value(key))

    def after(self, command: ubgi.Command) -> UbgiState:
        """Return the state after a command; only some commands change it."""
        match command:
            case ubgi.NewSession(length, jacoby, crawford):
                values = {
                    **self.values,
                    "game.jacoby": str(jacoby).lower(),
                    "game.crawford": str(crawford).lower(),
                }
                fresh = MatchState(length=length, on_roll=0, to_act=0)
                return replace(self, values=values, match=fresh, position=None)._ruled()
            case ubgi.SetScore(score):
                if self.match.length and max(score) >= self.match.length:
                    raise ubgi.BadCommand(
                        ubgi.Fault.ARGUMENT,
                        f"setscore: {max(score)} ends a match to {self.match.length}",
                    )
                return self._with(score=score)._ruled()
            case ubgi.SetKey(key, value):
                return self._set(key, value)
            case ubgi.SetOption(name, value):
                return replace(self._option(name, value), old=True)
            case _:
                return self._placed(command)

    def _placed(self, command: ubgi.Command) -> UbgiState:
        match command:
            case ubgi.Word.NEW_GAME:
                start = Position.start(self.variant)
                return replace(self._with(**_changes(command)), position=start)
            case ubgi.SetPosition(position, None):
                return replace(self._with(dice=None, doubled=False), position=position)
            case ubgi.SetPosition(position, match) | ubgi.BarePosition(position, match):
                assert match is not None
                return replace(self, position=position, match=match)
            case ubgi.Go(old=True):
                return replace(self, old=True)
            case _:
                return self._with(**_changes(command))

    def asked(self, command: ubgi.Go | ubgi.BarePosition) -> tuple[Position, MatchState, ubgi.Role]:
        """Return the decision to make; BadCommand if something is missing."""
        if self.position is None:
            raise ubgi.BadCommand(ubgi.Fault.CONTEXT, "no position")
        try:
            position = self.position.of_variant(self.variant)
        except IllegalPosition as error:
            raise ubgi.BadCommand(ubgi.Fault.CONTEXT, str(error)) from None
        role = command.role if isinstance(command, ubgi.Go) else None
        role = role or (ubgi.Role.CHEQUER if self.match.dice else ubgi.Role.CUBE)
        if role is ubgi.Role.CHEQUER and self.match.dice is None:
            raise ubgi.BadCommand(ubgi.Fault.CONTEXT, "no dice")
        return position, self.match, role

    def error_line(self, error: ubgi.BadCommand) -> str:
        """Write an error in the words of the client's version."""
        text = "".join(letter if " " <= letter <= "~" else "?" for letter in str(error))
        return f"error {error.fault.value[0 if self.old else 1]} {text[:200]}"

    def _with(self, **changes: object) -> UbgiState:
        return replace(self, match=self.match.with_(**changes))

    def _set(self, key: str, value: str) -> UbgiState:
        if key not in self.settings:
            raise ubgi.BadCommand(ubgi.Fault.ARGUMENT, f"no key {ubgi.shown(key)}")
        value = self.settings[key].checked(value)
        if key == "game.length":
            length = int(value)
            score = self.match.score if not length or max(self.match.score) < length else (0, 0)
            return self._with(length=length, score=score)._ruled()
        if key == "game.type":
            if value == "match" and not self.match.length:
                raise ubgi.BadCommand(
                    ubgi.Fault.CONTEXT, "game.type: set game.length to play a match"
                )
            return self._with(length=self.match.length if value == "match" else 0)._ruled()
        changed = replace(self, values={**self.values, key: value})
        return changed._ruled() if key in ("game.jacoby", "game.crawford") else changed

    def _option(self, name: str, value: str) -> UbgiState:
        for setting in self.settings.values():
            if setting.option == name:
                if setting.offset and re.fullmatch("-?[0-9]{1,9}", value):
                    value = str(int(value) + setting.offset)
                return self._set(setting.key, value)
        raise ubgi.BadCommand(ubgi.Fault.ARGUMENT, f"no option {ubgi.shown(name)}")

    def _ruled(self) -> UbgiState:
        """Apply the rules that are set: a game with one side 1 away is the Crawford game."""
        length, score = self.match.length, self.match.score
        one_away = length > 1 and (score[0] == length - 1) != (score[1] == length - 1)
        return self._with(
            crawford=one_away and self.value("game.crawford") == "true",
            jacoby=length == 0 and self.value("game.jacoby") == "true",
        )


def _changes(command: ubgi.Command) -> dict[str, object]:
    """Return the fields of the match that a command changes."""
    match command:
        case ubgi.Word.NEW_GAME:
            return {"dice": None, "cube": 1, "cube_owner": None, "doubled": False, "resigned": 0}
        case ubgi.SetCube(value, owner):
            return {"cube": value, "cube_owner": owner, "doubled": False}
        case ubgi.SetTurn(seat):
            return {"on_roll": seat, "to_act": seat, "doubled": False}
        case ubgi.SetDice(dice):
            return {"dice": dice}
        case _:
            return {}


def greeting(state: UbgiState, name: str, author: str, version: str, *, draft: bool) -> list[str]:
    lines = [f"id name {name}", f"id author {author}", f"id version {version}"]
    if draft:
        return [*lines, "readyok"]
    options = [each.option_line() for each in state.settings.values() if each.option]
    return [*lines, f"proto {PROTOCOL}", *options, "ubgiok"]
