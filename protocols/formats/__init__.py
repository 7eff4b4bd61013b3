"""Matches and positions as text: the record, plays, IDs, .mat, oldmoves.

Imports: engine.analysis.values, engine.position, engine.game, protocols.fibs.wire.board
"""
