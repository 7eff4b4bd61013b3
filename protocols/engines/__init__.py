"""Protocols by which programs query engines: gnubg's external player, UBGI.

Imports: engine.position, protocols.formats
"""
