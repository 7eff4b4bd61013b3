"""The servers that a bot plays on, as one type.

Sessions and matches of every kind have the same shape. They share the messages, questions and
commands of `protocols.fibs`; mypy checks each use against all kinds.
"""

from __future__ import annotations

from sixprime.protocols.bgammon.match import BgammonMatch
from sixprime.protocols.bgammon.session import BgammonSession
from sixprime.protocols.fibs.match import MatchInPlay as FibsMatch
from sixprime.protocols.fibs.session import Session as FibsSession

Session = FibsSession | BgammonSession
MatchInPlay = FibsMatch | BgammonMatch
