"""How strong a player is: games, decisions, cubes, chances, references.

Imports: engine
"""
