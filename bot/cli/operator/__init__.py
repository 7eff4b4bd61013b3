"""Commands of whoever runs a bot or a server.

Imports: bot, engine, protocols
"""
