"""The bot: connection, lobby, turns, chat, thinking, and the service that runs several bots.

Imports: bot.archive, bot.matchlog, bot.process, bot.settings, engine, protocols
"""
