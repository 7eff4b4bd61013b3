"""The model of how people choose: the chance of each legal play for a person of a PR.

Imports: engine.game, engine.kernels, engine.position, engine.system
"""

from sixprime.engine.people.choosing import Person, chosen, play_chances

__all__ = ["Person", "chosen", "play_chances"]
