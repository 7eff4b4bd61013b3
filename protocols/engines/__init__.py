"""Protocols by which programs query engines: gnubg's external player, UBGI.

Imports: engine.game, engine.position, engine.system, protocols.formats
"""
