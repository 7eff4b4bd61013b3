"""The work of a collector on an archive: import, choose, count, copy, check, name players.

Imports: bot.archive, bot.matchlog, bot.process, bot.settings, engine, protocols
"""
