"""Records sessions, replays them without the server, and keeps facts about servers and opponents.

Imports: bot.archive, bot.client, bot.control, bot.settings, engine, protocols
"""
