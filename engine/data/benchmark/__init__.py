"""Positions that players are scored on.

Imports: nothing of ours
"""
