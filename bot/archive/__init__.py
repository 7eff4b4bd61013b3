"""Records every match in a database and in files; recovers lost games, imports files, counts.

Imports: bot.footprint, bot.printable, bot.settings, bot.workers, engine, protocols
"""
