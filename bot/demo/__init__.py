"""`sixprime demo`: a server, two bots, and the screen that shows their match.

Imports: bot.archive, bot.client, bot.reports, bot.sandbox, bot.settings, engine, protocols.formats
"""
