"""The settings of `sixprime sandbox`, validated and frozen; config/sandbox.yaml shows them all."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, field_validator

from sixprime.bot.sandbox.state.dialect import Dialect, made_up
from sixprime.bot.sandbox.state.limits import Limits
from sixprime.bot.settings.faults import validated
from sixprime.engine.system.errors import ConfigError
from sixprime.engine.system.yamlfile import read_yaml

DEFAULT_LISTEN = "127.0.0.1:4321"


class PasswordCost(BaseModel):
    """The cost of a password check as scrypt's parameters. The default is about 50 ms, 16 MiB."""

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
        """Turn a number, which is a seed, into an invented dialect."""
        return made_up(value) if type(value) is int else value


def load_sandbox(path: Path) -> SandboxConfig:
    """Return the settings of a file; ConfigError names every fault."""
    tree = read_yaml(path) or {}
    if not isinstance(tree, dict):
        raise ConfigError("not a mapping of settings", path)
    faults: list[str] = []
    config = validated(SandboxConfig, tree, faults, whole=SandboxConfig)
    if config is None:
        raise ConfigError(faults, path)
    return config
