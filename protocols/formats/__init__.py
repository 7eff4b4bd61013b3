"""Matches and positions as text: the record, plays, IDs, .mat, oldmoves.

Imports: engine.analysis.values, engine.codec, engine.game, engine.position, protocols.fibs.wire
"""
