"""People's decisions beside a level's: how like people it plays, and portraits of players.

Imports: engine.analysis, engine.game, engine.people, engine.position, engine.search, engine.system
"""
