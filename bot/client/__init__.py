"""The bot itself: a connection, the lobby, a match, chat, thinking, and the service around them.

Imports: bot.archive, bot.settings, engine, protocols
"""
