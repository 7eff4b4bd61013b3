"""Matches and positions as text: the record, plays, IDs, .mat, oldmoves.

Imports: engine.analysis.values, engine.codec, engine.game, engine.position, engine.ratings, engine.system, protocols.fibs.wire
"""  # noqa: E501 - one line, for tests/test_architecture.py
