"""Positions, nets, analyses, and slow twins of the engine."""
