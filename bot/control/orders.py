"""Changes to the settings of running bots: the operator's orders, and the file read again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from sixprime.bot.settings.schema import Config, PlayerSettings, Profile
from sixprime.bot.settings.values import Level, Section

OF_THE_PLAYER = ("level", "cube_level", "levels_file", "resign", "thinking")  # others: of the bot


@dataclass(frozen=True, slots=True)
class Orders:
    """The orders to one bot since its start, which outweigh its file; None, no names: none."""

    paused: bool | None = None
    level: Level | None = None
    names: Mapping[str, bool | None] = field(default_factory=dict)  # allowed, blocked or neither

    def over(self, profile: Profile) -> Profile:
        """Return the profile with these orders."""
        lobby, player = profile.lobby, profile.player
        lists = {
            what: tuple(name for name in getattr(lobby.accept, what) if name not in self.names)
            + tuple(name for name, allowed in self.names.items() if allowed is (what == "allow"))
            for what in ("allow", "block")
        }
        paused = lobby.paused if self.paused is None else self.paused
        accept = lobby.accept.model_copy(update=lists)
        lobby = lobby.model_copy(update={"accept": accept, "paused": paused})
        if self.level is not None:
            player = player.model_copy(update={"level": self.level})
        return profile.model_copy(update={"lobby": lobby, "player": player})

    def after(self, old: Profile, new: Profile) -> Orders:
        """Return the orders that survive a change of the file, whose new settings outweigh them."""
        paused = self.paused if old.lobby.paused == new.lobby.paused else None
        level = self.level if old.player.level == new.player.level else None
        return replace(self, paused=paused, level=level)


def same_player(old: PlayerSettings, new: PlayerSettings) -> bool:
    """Return whether both choose the same moves; a file of levels may have changed."""
    return new.levels_file is None and all(
        getattr(old, name) == getattr(new, name) for name in OF_THE_PLAYER
    )


@dataclass(frozen=True, slots=True)
class Reread:
    """The effect of a reread file on running bots."""

    config: Config  # settings that they can follow, in the order of the old profiles
    now: tuple[str, ...]  # paths of settings that change at once
    later: tuple[str, ...]  # paths of settings that need a restart


def reread(old: Config, file: Config) -> Reread:
    """Compare two settings; account, server, archive and addresses need a restart."""
    new = {profile.name: profile for profile in file.profiles}
    if len(old.profiles) == len(new) == 1:  # it may be named after its account
        new = {old.profiles[0].name: file.profiles[0]}
    followed = tuple(_followed(each, new.get(each.name, each)) for each in old.profiles)
    now = list(differences(old.logging, file.logging, "logging."))
    later = [
        *differences(old.notices, file.notices, "notices."),
        *differences(old.metrics, file.metrics, "metrics."),
        *differences(old.control, file.control, "control."),
        *differences(old.web, file.web, "web."),
        *(f"profiles.{name}" for name in new if name not in {each.name for each in followed}),
    ]
    for before, after in zip(old.profiles, followed, strict=True):
        place = f"profiles.{before.name}." if len(followed) > 1 else ""
        now += differences(before, after, place)
        if before.name in new:
            later += differences(after, new[before.name], place)
        else:
            later.append(f"profiles.{before.name}")
    config = old.model_copy(update={"profiles": followed, "logging": file.logging})
    return Reread(config, tuple(now), tuple(later))


def _followed(old: Profile, new: Profile) -> Profile:
    server = new.server.model_copy(update={"host": old.server.host, "port": old.server.port})
    kept = {"name": old.name, "account": old.account, "archive": old.archive, "server": server}
    return new.model_copy(update=kept)


def differences(old: Section, new: Section, place: str) -> Iterator[str]:
    """Yield the paths of the settings in which they differ; a profile's name is none."""
    for name in type(old).model_fields:
        before, after = getattr(old, name), getattr(new, name)
        if isinstance(before, Section):
            yield from differences(before, after, f"{place}{name}.")
        elif before != after and (name != "name" or not isinstance(old, Profile)):
            yield f"{place}{name}"
