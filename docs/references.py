"""References that the site appends to pages of docs/: all are made from the code."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from sixprime.bot.analysis.collection.dataset import COLUMNS
from sixprime.bot.cli.answers.known import ANSWERS, WITHOUT_OPTION, help_of
from sixprime.bot.cli.answers.schemas import Schemas
from sixprime.bot.cli.line.command import every_command
from sixprime.bot.cli.line.parsing import parser_of
from sixprime.bot.cli.line.top import SIXPRIME
from sixprime.bot.client.metrics import BotMetrics
from sixprime.bot.settings.example import schema

Field = Mapping[str, Any]  # a property of the JSON schema
SETTINGS = "setting | default | values | meaning\n---|---|---|---"
WORDS = {"string": "text", "boolean": "`true`, `false`", "object": "mapping",
         "integer": "whole number"}  # fmt: skip
LONGEST_DEFAULT = 90


def commands() -> str:
    """Return the help of every command."""
    return "\n".join(
        f"## sixprime {' '.join(words)}\n\n```text\n{parser_of(words, command).format_help()}```\n"
        for words, command in every_command(SIXPRIME)
        if words
    )


def settings() -> str:
    """Return a table of settings for each section of the file of `sixprime play`."""
    tree = schema()
    sections = {name: _section(field, tree) for name, field in tree["properties"].items()}
    return "\n".join(
        f"## {name}\n\n{SETTINGS}\n" + "\n".join(_rows(fields, tree, f"{name}.")) + "\n"
        for name, fields in sections.items()
        if fields  # all but the profiles, which repeat the sections
    )


def _section(field: Field, tree: Field) -> Mapping[str, Field]:
    """Return the settings of a section, or none for a single setting."""
    section = tree["$defs"].get(str(field.get("$ref", "")).removeprefix("#/$defs/"), {})
    fields: Mapping[str, Field] = section.get("properties", {})
    return fields


def _rows(fields: Mapping[str, Field], tree: Field, place: str) -> Iterator[str]:
    for name, field in fields.items():
        if inner := _section(field, tree):
            yield from _rows(inner, tree, f"{place}{name}.")
        else:
            meaning = field.get("description", "").replace("\n", " ").replace("|", r"\|")
            yield f"`{place}{name}` | {_default(field)} | {_values(field)} | {meaning}"


def _default(field: Field) -> str:
    if "default" not in field:
        return "none: needed"
    value = field["default"]
    text = f"{value:g}" if isinstance(value, float) else json.dumps(value)
    return _code(text) if len(text) <= LONGEST_DEFAULT else "see `sixprime config example`"


def _code(text: str) -> str:
    return "`" + text.replace("|", r"\|") + "`"


def _values(field: Field) -> str:
    """Return the values that a setting takes, in words."""
    if "anyOf" in field:
        return " or ".join(dict.fromkeys(_values(choice) for choice in field["anyOf"]))
    if "enum" in field:
        return ", ".join(_code(word) for word in field["enum"])
    kind = field.get("type", "")
    if kind == "array":
        return f"list of {_values(field['items'])}"
    word = "file" if field.get("format") == "path" else WORDS.get(kind, kind)
    limits = {"minimum": "from", "exclusiveMinimum": "above", "maximum": "to"}
    return " ".join(
        [word, *(f"{said} {field[key]:g}" for key, said in limits.items() if key in field)]
    )


def columns() -> str:
    """Return a table of the columns of decisions."""
    rows = (f"`{column.name}` | {column.kind} | {column.meaning}" for column in COLUMNS)
    return "\n".join(["column | type | meaning", "---|---|---", *rows])


def answers() -> str:
    """Return the types of the JSON of commands, a table each."""
    schemas = Schemas()
    rows = [
        f"`{words}` | {_shown(schemas.of(kind))}"
        + ", one a line" * ("per match" in help_of(words) or words in WITHOUT_OPTION)
        for words, kind in ANSWERS.items()
    ]
    types = [_type(name, schema) for name, schema in sorted(schemas.named.items())]
    return "\n".join(["command | prints", "---|---", *rows, "", *types])


def _type(name: str, schema: Field) -> str:
    lines = [f"## {name}", "", *([schema["description"], ""] if "description" in schema else [])]
    if "properties" not in schema:
        return "\n".join([*lines, _shown(schema), ""])
    lines += ["field | type | meaning", "---|---|---"]
    for field, of in schema["properties"].items():
        mark = "" if field in schema["required"] else "?"
        lines.append(f"`{field}`{mark} | {_shown(of)} | {_in_cell(of.get('description', ''))}")
    return "\n".join([*lines, ""])


def _shown(schema: Field) -> str:
    """Return a type in words, with links."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(map(_shown, schema["anyOf"]))
    if words := schema.get("enum") or [schema[key] for key in ("const",) if key in schema]:
        return " or ".join(f"`{word}`" for word in words)
    kind = schema.get("type", "any")
    if kind == "array":
        return _shown_items(schema)
    if kind == "object":
        fields = schema.get("properties") or {"NAME": schema["additionalProperties"]}
        return f"{{{', '.join(f'{name}: {_shown(of)}' for name, of in fields.items())}}}"
    return " or ".join(kind) if isinstance(kind, list) else kind


def _shown_items(schema: Field) -> str:
    if "prefixItems" in schema:
        parts = (f"{of.get('title', '')} {_shown(of)}".strip() for of in schema["prefixItems"])
        return f"[{', '.join(parts)}]"
    size = f"{schema['minItems']} " if "minItems" in schema else ""
    return f"array of {size}{_shown(schema['items'])}"


def _in_cell(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*")


def metrics() -> str:
    """Return a table of the metrics for Prometheus."""
    rows = (
        f"`{metric.name}{'_total' if metric.type == 'counter' else ''}` | {metric.documentation}"
        for metric in BotMetrics().registry.collect()
    )
    return "\n".join(["## All metrics", "", "metric | meaning", "---|---", *rows])


# by the page that ends with it
REFERENCES = {
    "operating": metrics,
    "commands": commands,
    "settings": settings,
    "data": columns,
    "json": answers,
}
