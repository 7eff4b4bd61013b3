"""YAML files for settings: read whole, without YAML's traps; ConfigError says what is wrong."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from sixprime.engine.system.errors import ConfigError

LARGEST = 1_000_000  # bytes; a file with every setting has 12,000
DIGITS = 18  # of a whole number; JSON takes no number of thousands of digits


def read_yaml(path: Path) -> object:
    """Return the YAML of a file; ConfigError."""
    return parse_yaml(read_text(path), path)


def read_text(path: Path) -> str:
    """Return the text of the file; ConfigError if it cannot be read."""
    try:
        if path.exists() and not path.is_file():  # a pipe may never end, or never begin
            raise ConfigError(["not a file"], path)
        if path.stat().st_size > LARGEST:
            raise ConfigError([f"larger than {LARGEST:,} bytes"], path)
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ConfigError(["not a text file in UTF-8"], path) from None
    except OSError as error:
        raise ConfigError([error.strerror or "cannot be read"], path) from error


def parse_yaml(text: str, path: Path) -> object:
    """Return the YAML of a text; `path` is only for messages."""
    try:
        return yaml.load(text, _Loader)
    except yaml.YAMLError as error:
        raise ConfigError([_not_yaml(error)], path) from None
    except RecursionError:
        raise ConfigError(["nested too deeply"], path) from None


_SCALARS = {"str": "text", "int": f"whole number of at most {DIGITS} digits", "float": "number",
            "bool": "true or false", "null": "null"}  # fmt: skip
_TAGS = {f"tag:yaml.org,2002:{name}": name for name in (*_SCALARS, "seq", "map")}

_OLD_NUMBER = re.compile(r"[-+]?(?:0[\d_]|[\d_]++:)")  # octal 010, and 1:30 in sixties


class _Loader(yaml.SafeLoader):
    """A loader without dates, non-decimal numbers, merged or repeated keys, aliases and types."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        if node.tag not in _TAGS:
            name = node.tag.replace("tag:yaml.org,2002:", "!!")
            raise _refused(f"{name} is not understood, leave it out", node)
        try:
            value = super().construct_object(node, deep)
            if isinstance(value, str):
                value.encode()
            elif isinstance(value, int) and abs(value) >= 10**DIGITS:
                raise ValueError
            elif isinstance(node, yaml.ScalarNode) and _OLD_NUMBER.match(node.value):
                why = "a number that begins with 0, or has a colon, would be another"
                raise _refused(f"{why}: write it in decimal, or as text in quotes", node)
        except UnicodeEncodeError:
            raise _refused("a character is broken, write it again", node) from None
        except (LookupError, ValueError):  # as `!!int x`, or a number of too many digits
            raise _refused(f"no {_SCALARS.get(_TAGS[node.tag], 'list')}", node) from None
        return value

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.events.AliasEvent):
            raise yaml.composer.ComposerError(
                None, None, "aliases (*name) are not understood, write the value", None
            )
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        if not isinstance(node, yaml.MappingNode):
            raise _refused("this has to be a mapping", node)
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise _refused("a key has to be a word", key)
            if key.value in seen:
                raise _refused(f"'{key.value}' is set twice here, keep one", key)
            seen.add(key.value)
        return {key.value: self._setting(key.value, value) for key, value in node.value}

    def _setting(self, name: str, node: yaml.Node) -> Any:
        """Return a value; a fault of a number, a word or a text names its setting."""
        try:
            return self.construct_object(node, deep=True)
        except yaml.constructor.ConstructorError as error:
            if isinstance(node, yaml.ScalarNode):
                error.problem = f"{error.problem}; the setting is '{name}'"
            raise


def _refused(why: str, node: yaml.Node) -> yaml.YAMLError:
    return yaml.constructor.ConstructorError(None, None, why, node.start_mark)


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag in _TAGS]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def _mapping(loader: _Loader, node: yaml.MappingNode) -> dict[Any, Any]:
    return loader.construct_mapping(node)


_Loader.add_constructor("tag:yaml.org,2002:map", _mapping)


def _not_yaml(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or str(error).partition("\n")[0]
    where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark is not None else ""
    return f"{where}{problem}"
