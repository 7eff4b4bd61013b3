"""SGF as gnubg writes it, analyses included.

Imports: engine.analysis.values, engine.position, protocols.formats
"""
