"""Accessibility faults of a page, found by axe."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

WIDE, PHONE = {"width": 1100, "height": 900}, {"width": 360, "height": 740}


def axe() -> str:
    """The library."""
    return (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")


def violations(found: Any) -> list[str]:
    """Whatever axe objects to, of what it has found."""
    assert found["passes"]
    return [
        f"{found['url']}: {each['id']}: {node['html'][:200]}"
        for each in found["violations"]
        for node in each["nodes"]
    ]


def faults(page: Any) -> list[str]:
    """What is hard to use on a page."""
    page.evaluate(f"() => {{ {axe()}; }}")
    return violations(page.evaluate("() => axe.run(document)"))
