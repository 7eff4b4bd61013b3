"""What a collector does with an archive: choose, count, copy, check, name players.

Imports: bot.archive, bot.settings, engine, protocols
"""
