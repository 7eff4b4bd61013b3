"""Records sessions and replays them without the server; keeps what was learned of servers.

Imports: bot.archive, bot.client, bot.control, bot.settings, engine, protocols
"""
