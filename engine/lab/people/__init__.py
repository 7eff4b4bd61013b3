"""The model of how people choose plays: their decisions gathered, the net fitted, its judge.

Imports: engine
"""
