"""The commented example file and the JSON schema, both made from the settings themselves."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel, TypeAdapter
from pydantic.fields import FieldInfo

from sixprime.bot.settings.file import FOR_ALL, PROFILES, SECTIONS
from sixprime.bot.settings.schema import AccountSettings, Config, Profile
from sixprime.bot.settings.values import Section

WIDTH = 100
PLACEHOLDER = "your_bot"  # the account of an example

SCHEMA = "settings.schema.json"  # beside the file

HEAD = """\
# yaml-language-server: $schema={schema}
# All settings of `sixprime play --config {file}`, with their defaults and meanings.
# Omitted settings keep their defaults. `sixprime config check {file}` finds mistakes.
"""
PROFILES_EXAMPLE = """\
# Several bots in one process: the settings above hold for all, and each adds its own.
# profiles:
#   anna:
#     account: {user: anna_bot, password_env: ANNA_PASSWORD}
#     player: {level: beginner}
#   ben:
#     account: {user: ben_bot, password_file: /run/secrets/ben}
"""


def example(file: str, changes: Mapping[str, object] | None = None) -> str:
    """Return a complete file of defaults; `changes` maps dotted paths to other values."""
    changes = {"account.user": PLACEHOLDER, **(changes or {})}
    lines = [HEAD.format(file=file, schema=SCHEMA)]
    for name in SECTIONS:
        lines += _section(name, Profile.model_fields[name], "", changes)
        lines.append("")
    for name in FOR_ALL:
        lines += _section(name, Config.model_fields[name], "", changes)
        lines.append("")
    return "\n".join([*lines, PROFILES_EXAMPLE])


def _section(
    name: str, field: FieldInfo, place: str, changes: Mapping[str, object]
) -> Iterator[str]:
    indent = "  " * place.count(".")
    model = field.annotation
    if not (isinstance(model, type) and issubclass(model, BaseModel)):
        default = field.get_default(call_default_factory=False)
        yield from _setting(name, field, changes.get(place + name, default), indent)
        return
    yield f"{indent}{name}:  # {field.description}"
    for inner, setting in model.model_fields.items():
        yield from _section(inner, setting, f"{place}{name}.", changes)


def _setting(name: str, field: FieldInfo, value: object, indent: str) -> Iterator[str]:
    comment = field.description or ""
    if isinstance(value, Mapping) and value:
        yield f"{indent}{name}:  # {comment}"
        yield from (f"{indent}  {json.dumps(key)}: {_written(each)}" for key, each in value.items())
        return
    line = f"{indent}{name}: {_written(value)}"
    if "\n" not in comment and len(line) + len(comment) + 4 <= WIDTH:
        yield f"{line}  # {comment}"
        return
    yield from (f"{indent}# {part}" for part in comment.split("\n"))
    yield line


def _written(value: object) -> str:
    """Return a value as YAML: JSON, but words without quotes where they are unambiguous."""
    data = json.loads(TypeAdapter(object).dump_json(value))
    if isinstance(data, float) and data.is_integer():
        return str(int(data))
    if isinstance(data, list):
        return f"[{', '.join(_written(each) for each in data)}]"
    plain = isinstance(data, str) and data.replace("-", "").replace("_", "").isalnum()
    return str(data) if plain else json.dumps(data)


def _build(model: type[Section]) -> None:
    """Make up for `defer_build`: before pydantic 2.14 a schema needs all its parts."""
    for each in model.__subclasses__():
        each.model_rebuild()
        _build(each)


def schema_text() -> str:
    """Return the JSON schema as a file."""
    return json.dumps(schema(), indent=2) + "\n"


def schema() -> dict[str, Any]:
    """Return the JSON schema of a file, for editors."""
    _build(Section)
    made = Profile.model_json_schema(ref_template="#/$defs/{model}")
    definitions = made.pop("$defs")
    sections = {name: made["properties"][name] for name in SECTIONS}
    for model in FOR_ALL.values():
        definitions[model.__name__] = model.model_json_schema()
    definitions[AccountSettings.__name__].pop("required", None)  # a profile may say it instead
    own = {"type": "object", "properties": sections, "additionalProperties": False}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Settings of `sixprime play`",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            **sections,
            **{name: {"$ref": f"#/$defs/{model.__name__}"} for name, model in FOR_ALL.items()},
            PROFILES: {"type": "object", "additionalProperties": own},
        },
        "$defs": definitions,
    }
