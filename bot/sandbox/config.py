"""The settings of `sixprime sandbox`, validated and frozen; config/sandbox.yaml shows them all."""

from __future__ import annotations

from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from sixprime.bot.sandbox.state.dialect import Dialect, made_up
from sixprime.bot.sandbox.state.limits import Limits
from sixprime.engine.nearest import nearest

DEFAULT_LISTEN = "127.0.0.1:4321"


class BadSetting(Exception):
    """The file is wrong; the text says where and what."""


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
    """The settings of a file; BadSetting with one clear line otherwise."""
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadSetting(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise BadSetting(f"{path}: not a text file in UTF-8") from error
    except (yaml.YAMLError, LookupError, ValueError, RecursionError) as error:
        raise BadSetting(f"{path}: not YAML: {' '.join(str(error).split())}") from error
    if not isinstance(content or {}, dict):
        raise BadSetting(f"{path}: not a list of settings")
    try:
        return SandboxConfig.model_validate(content or {})
    except ValidationError as error:
        raise BadSetting(f"{path}: {_first_fault(error)}") from error


def _first_fault(error: ValidationError) -> str:
    fault = error.errors()[0]
    place = ".".join(str(part) for part in fault["loc"])
    if fault["type"] == "value_error":
        return f"{place}: {fault['ctx']['error']}"
    if fault["type"] != "extra_forbidden":
        return f"{place}: {fault['msg']}"
    known = _known(list(fault["loc"][:-1]))
    return f"{place}: no such setting{nearest(str(fault['loc'][-1]), known)}"


def _known(path: list[str | int]) -> list[str]:
    model: type[BaseModel] = SandboxConfig
    for part in path:
        inner = model.model_fields[str(part)].annotation
        if not isinstance(inner, type) or not issubclass(inner, BaseModel):
            return []
        model = inner
    return list(model.model_fields)


def parse_address(text: str) -> tuple[str, int]:
    """`HOST:PORT`, `[::1]:PORT`, `:PORT` or `PORT`; BadSetting for anything else."""
    host, colon, port = text.rpartition(":")
    if not colon:
        host = ""
    if not (port.isascii() and port.isdigit() and int(port) < 65536):
        raise BadSetting(f"'{text}' is not HOST:PORT")
    try:
        host.encode("idna")
    except UnicodeError as error:
        raise BadSetting(f"'{text}' is not HOST:PORT, no host has this name") from error
    return host.strip("[]") or "127.0.0.1", int(port)
