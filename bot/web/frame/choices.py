"""Choices of a person, which the browser keeps in one cookie such as `board=slate.left.sound`."""

from __future__ import annotations

COOKIE = "board"
CHOICES = {
    "board": ("wood", "felt", "slate", "contrast"),  # static/style.css has their colours
    "home": ("left",),
    "numbers": ("theirs",),
    "rolls": ("plain", "all"),  # automatic where no double is allowed, or everywhere
    "forced": ("forced",),
    "sound": ("sound",),
}


def chosen(cookie: str) -> dict[str, str]:
    """Return the choices of a cookie by name; unknown words choose nothing."""
    words = cookie.split(".")
    return {name: value for name, values in CHOICES.items() for value in values if value in words}
