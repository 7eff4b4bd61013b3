"""HTML from Jinja templates, for reports and the browser; all but Markup is escaped."""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from pathlib import Path

import jinja2

from sixprime.bot.process.printable import printable
from sixprime.bot.reports import charts_svg
from sixprime.bot.reports.text import MARKS, identified
from sixprime.engine.analysis.values import decisions
from sixprime.protocols.formats.record import LUCK

_DATA = Path(__file__).parent / "data"


def environment(folder: Path) -> jinja2.Environment:
    """Return the templates of a folder."""
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["plain"] = printable
    return made


@cache
def _reports() -> jinja2.Environment:
    made = environment(_DATA)
    script = (_DATA / "report.js").read_text(encoding="utf-8")
    digest = b64encode(sha256(script.encode()).digest()).decode()
    style = (_DATA / "report.css").read_text(encoding="utf-8")
    made.globals |= {"script": script, "script_digest": digest, "style": style}
    made.globals |= {"chart_style": charts_svg.STYLE, "marks": MARKS, "luck": LUCK}
    made.globals |= {"decisions": decisions, "identified": identified}
    return made


def rendered(template: str, **fields: object) -> str:
    """Return a report, or a part of one, without unprintable characters."""
    return printable(_reports().get_template(template).render(fields))
