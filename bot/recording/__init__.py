"""Sessions recorded for a report, and replayed without the server.

Imports: bot.client, bot.settings, engine, protocols
"""
