"""What a collector does with an archive: choose, count, copy, check, name players.

Imports: bot.archive, bot.printable, bot.settings, engine, protocols
"""
