"""The server's own players.

Imports: bot.sandbox.state, engine, protocols.fibs
"""
