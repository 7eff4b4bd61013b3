"""A connection to a FIBS server: its states, our match, the account's settings, who is here.

Imports: engine.game, engine.position, protocols.fibs.wire
"""
