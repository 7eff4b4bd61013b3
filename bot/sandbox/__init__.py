"""The FIBS-compatible server: the world (pure), its store (durable), its sockets.

Imports: engine, protocols.fibs
"""
