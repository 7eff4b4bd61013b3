"""Validates sections of settings, and says where a fault is and what to write instead."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TypeVar, get_args

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from sixprime.bot.settings.schema import Profile
from sixprime.engine.system.errors import nearest

SECRET = ("password", "passwd", "pass", "secret")

Place = tuple[str | int, ...]
M = TypeVar("M", bound=BaseModel)


def validated(
    model: type[M],
    tree: object,
    faults: list[str],
    place: Place = (),
    own: object = None,
    whole: type[BaseModel] = Profile,
) -> M | None:
    """Return the section, or None with its faults added.

    `place` is its path in the file. `own` is the part of a profile that stands under `place`: the
    faults of other settings are named by their place at the top of the file.
    """
    try:
        return model.model_validate_json(json.dumps(tree))
    except ValidationError as error:
        for fault in error.errors(include_url=False):
            where = fault["loc"]
            inside = own is None or fault["type"] == "missing" or _stands_in(own, where)
            faults.append(
                fault_in_words(model, fault, (*place, *where) if inside else where, whole)
            )
    except (TypeError, ValueError):  # JSON does not take it
        faults.append(f"{dotted(place)}: not plain settings" if place else "not plain settings")
    return None


def _stands_in(tree: object, place: Place) -> bool:
    """Return whether this is set in the profile itself, not above it."""
    for part in place:
        if isinstance(part, int):
            return True
        if not isinstance(tree, dict) or part not in tree:
            return False
        tree = tree[part]
    return True


def fault_in_words(
    model: type[BaseModel], fault: ErrorDetails, place: Place, whole: type[BaseModel]
) -> str:
    """Return a line with the place of a fault, the fault, and the remedy."""
    if fault["type"] == "extra_forbidden":
        inner = _model_at(model, fault["loc"][:-1])
        known = tuple(inner.model_fields) if inner else ()
        return no_setting(place[:-1], str(place[-1]), known, whole)
    return f"{dotted(place)}: {reason_of(fault)}"


def no_setting(
    place: Place, key: str, known: tuple[str, ...], whole: type[BaseModel] = Profile
) -> str:
    """Return the fault of an unknown key: the nearest known one, or where it belongs."""
    where = f"{dotted(place)}: " if place else ""
    if key.lower() in SECRET and whole is Profile:
        return (
            f"{where}no setting '{key}': a password is not written here, "
            "use password_env, password_file or password_prompt"
        )
    near = nearest(key, known)
    if not near:
        elsewhere = [path for path in _all_paths(whole) if path.rpartition(".")[2] == key]
        near = f"; there is {elsewhere[0]}" if elsewhere else f", known: {', '.join(known)}"
    return f"{where}no setting '{key}'{near}"


def _model_at(model: type[BaseModel], place: Place) -> type[BaseModel] | None:
    found: type[BaseModel] | None = model
    for part in place:
        if found is not None and not isinstance(part, int):
            field = found.model_fields.get(part)
            found = _model_in(field.annotation) if field else None
    return found


def _model_in(annotation: object) -> type[BaseModel] | None:
    """Return the section that an annotation holds, also in a list or with null."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for each in get_args(annotation) if (found := _model_in(each))), None)


def _all_paths(model: type[BaseModel], place: str = "") -> Iterator[str]:
    for name, field in model.model_fields.items():
        yield place + name
        if inner := _model_in(field.annotation):
            yield from _all_paths(inner, f"{place}{name}.")


def dotted(place: Place) -> str:
    """Return a path such as `lobby.accept.match_lengths[2]`."""
    text = ""
    for part in place:
        if part == "[key]":
            continue
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


_KINDS = {
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a number that ends",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "string_type": "text",
    "path_type": "a file name",
    "tuple_type": "a list, such as [1, 3, 5]",
    "dict_type": "a mapping",
    "model_type": "a mapping of settings",
    "model_attributes_type": "a mapping of settings",
    "string_pattern_mismatch": "a match length from 1 to 99",
}
_BOUNDS = {
    "greater_than_equal": ("at least", "ge"),
    "greater_than": ("more than", "gt"),
    "less_than_equal": ("at most", "le"),
    "less_than": ("less than", "lt"),
}


def reason_of(fault: ErrorDetails) -> str:
    """Say what is wrong with a value."""
    kind, context, value = fault["type"], fault.get("ctx", {}), _shown(fault)
    if kind == "value_error":
        return str(context.get("error", fault["msg"]))
    if kind == "missing":
        return "is missing"
    if kind in _BOUNDS:
        words, bound = _BOUNDS[kind]
        return f"{value} is out of range, it has to be {words} {context[bound]:g}"
    if kind == "literal_error":
        known = tuple(context["expected"].replace("'", "").replace(" or ", ", ").split(", "))
        near = nearest(str(fault["input"]), known)
        return f"{value} is none of {', '.join(known)}{near}"
    if kind in _KINDS:
        quoted = isinstance(fault["input"], str) and _KINDS[kind] not in ("text", "a file name")
        try:
            hint = quoted and isinstance(yaml.safe_load(fault["input"]), int | float | bool)
        except (yaml.YAMLError, ValueError, LookupError):  # of an impossible date, say
            hint = False
        return f"{value} is not {_KINDS[kind]}" + (", write it without quotes" if hint else "")
    return fault["msg"]


def _shown(fault: ErrorDetails) -> str:
    """Return the value in the file, unless it could be a secret."""
    secret = {"account", "database"} & {str(part) for part in fault["loc"]}
    if secret:
        return "this"
    value = fault["input"]
    if isinstance(value, dict | list):
        return "a list" if isinstance(value, list) else "a mapping"
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else repr(value)[:60]
