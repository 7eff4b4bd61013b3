"""Matches and positions as text: the record, plays, IDs, .mat, oldmoves.

Imports: engine.position, protocols.fibs.wire.board
"""
