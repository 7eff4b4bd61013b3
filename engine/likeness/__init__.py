"""People's decisions beside a level's: how like people it plays, and portraits of players.

Imports: engine, engine.analysis, engine.people, engine.search, engine.system
"""
