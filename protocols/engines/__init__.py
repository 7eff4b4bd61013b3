"""How programs ask engines: gnubg's external player, UBGI.

Imports: engine.position, protocols.formats
"""
