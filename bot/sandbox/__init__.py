"""The FIBS-compatible server: the world (pure), its store (durable), its sockets.

Imports: bot.process, bot.settings, engine, protocols.fibs
"""
