"""The FIBS-compatible server: the world (pure), its store (durable), its sockets.

Imports: bot.footprint, engine, protocols.fibs
"""
