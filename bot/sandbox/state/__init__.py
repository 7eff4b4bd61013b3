"""The server's state: accounts, sessions, matches, and its dialect.

Imports: engine.position, engine.game, engine.ratings, engine.system, protocols.fibs.wire
"""
