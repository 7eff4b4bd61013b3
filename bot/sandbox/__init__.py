"""The FIBS-compatible server: the world (pure), its store (durable), its sockets.

Imports: bot.passwordhash, engine, protocols.fibs
"""
