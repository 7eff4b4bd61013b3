"""What a collector does with an archive: import, choose, count, copy, check, name players.

Imports: bot.archive, bot.footprint, bot.printable, bot.settings, bot.workers, engine, protocols
"""
