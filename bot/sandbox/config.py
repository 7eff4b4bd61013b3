"""The settings of `sixprime sandbox`, validated and frozen; config/sandbox.yaml shows them all."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from sixprime.bot.sandbox.state.dialect import Dialect, made_up
from sixprime.bot.sandbox.state.limits import Limits
from sixprime.bot.settings.faults import fault_in_words
from sixprime.bot.settings.file import ConfigError, parsed, text_of

DEFAULT_LISTEN = "127.0.0.1:4321"


class BadSetting(Exception):
    """A setting cannot be used; the text says which and why."""


class PasswordCost(BaseModel):
    """What a password check costs: scrypt's parameters. The default is about 50 ms, 16 MiB."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    n: int = Field(default=2**14, ge=2, le=2**18)  # times r: Python's scrypt takes no more memory
    r: int = Field(default=8, ge=1, le=16)
    p: int = Field(default=1, ge=1, le=64)

    @field_validator("n")
    @classmethod
    def _power_of_two(cls, n: int) -> int:
        if n & (n - 1):
            raise ValueError(f"{n} is not a power of 2")
        return n


class SandboxConfig(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    listen: str = DEFAULT_LISTEN
    database: Path | None = None  # None: everything is forgotten at the end
    full_sync: bool = False
    house: tuple[str, ...] = ()  # a level for each house player
    house_pause_s: float = Field(default=0.7, ge=0, le=3_600)  # before a house player acts
    seed: int | None = None
    chaos: int | None = None
    password_cost: PasswordCost = PasswordCost()
    limits: Limits = Limits()
    dialect: Dialect = Dialect()

    @field_validator("dialect", mode="before")
    @classmethod
    def _made_up(cls, value: object) -> object:
        """A number is the seed of a dialect that nobody has seen."""
        return made_up(value) if type(value) is int else value


def load(path: Path) -> SandboxConfig:
    """The settings of a file; ConfigError names every fault."""
    tree = parsed(text_of(path), path) or {}
    if not isinstance(tree, dict):
        raise ConfigError(path, ["not a mapping of settings"])
    try:
        return SandboxConfig.model_validate(tree)
    except ValidationError as error:
        faults = [
            fault_in_words(SandboxConfig, each, each["loc"], whole=SandboxConfig)
            for each in error.errors()
        ]
        raise ConfigError(path, faults) from error
