"""The servers that a bot plays on, as one type.

Both sessions and both matches have the same shape and speak the same messages, questions and
commands, those of `protocols.fibs`; mypy checks each use against both.
"""

from __future__ import annotations

from sixprime.protocols.bgammon.match import BgammonMatch
from sixprime.protocols.bgammon.session import BgammonSession
from sixprime.protocols.fibs.match import MatchInPlay as FibsMatch
from sixprime.protocols.fibs.session import Session as FibsSession

Session = FibsSession | BgammonSession
MatchInPlay = FibsMatch | BgammonMatch
