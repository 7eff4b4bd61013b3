"""The site: `sphinx-build -W -b html docs docs/site`; nothing is loaded from elsewhere."""

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
