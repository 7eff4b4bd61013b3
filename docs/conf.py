"""The site: `sphinx-build -W -b html docs docs/site`; nothing is loaded from elsewhere."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from references import REFERENCES

project = "Sixprime"
author = "the Sixprime engineers"
copyright = "MIT licence"
extensions = ["myst_parser"]
exclude_patterns = ["history/*", "site"]
myst_heading_anchors = 3
html_theme = "furo"
html_title = "Sixprime"
html_copy_source = False
suppress_warnings = ["misc.highlighting_failure"]  # JSON with ... in it


def append_reference(app, page, source):
    """Append to the page its reference that is made from the code."""
    if page in REFERENCES:
        source[0] += f"\n{REFERENCES[page]()}"


def setup(app):
    """Connect the references with the pages."""
    app.connect("source-read", append_reference)
