"""Measures of strength: games, decisions, cubes, chances, references.

Imports: engine
"""
