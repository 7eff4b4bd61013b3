"""Elements of SVG pictures, with all text escaped."""

from __future__ import annotations

from markupsafe import Markup, escape


def element(name: str, /, *inside: str, **attributes: object) -> Markup:
    """Return an element with these attributes: `stroke_width` becomes stroke-width, `class_` class.

    Numbers have at most six digits; attributes that are None are left out.
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_text(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    if not inside:
        return Markup(f"<{name}{written}/>")
    return Markup(f"<{name}{written}>{Markup('').join(inside)}</{name}>")


def picture(
    width: float, height: float, title: str, /, *shapes: Markup, **attributes: object
) -> Markup:
    """Return a whole picture with its origin at the upper left."""
    space, box = "http://www.w3.org/2000/svg", f"0 0 {width:g} {height:g}"
    inside = (element("title", title), *shapes)
    return element("svg", *inside, **attributes, xmlns=space, viewBox=box)


def _text(value: object) -> str:
    return f"{value:g}" if isinstance(value, int | float) else escape(value)
