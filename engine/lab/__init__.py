"""The laboratory makes and measures nets and levels. Nothing in play imports it.

Imports: engine
"""

from sixprime.engine.system.errors import InputError


class LabError(InputError):
    """A run, a set, a series or a player cannot be used; the text is one line that says why."""
