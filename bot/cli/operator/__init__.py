"""Commands for people who run a bot or a server.

Imports: bot, engine, protocols
"""
