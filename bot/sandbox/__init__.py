"""The FIBS-compatible server: the world (pure), its store (durable), its sockets.

Imports: bot.passwordhash, bot.settings, engine, protocols.fibs
"""
