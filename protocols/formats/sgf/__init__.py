"""SGF as gnubg writes it, analyses included.

Imports: engine.position, protocols.formats
"""
