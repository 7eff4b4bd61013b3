"""Sessions recorded for a report and replayed without the server; what was learned of servers.

Imports: bot.archive, bot.client, bot.control, bot.settings, engine, protocols
"""
