"""The browser: a board to play on, positions, the archive.

Imports: bot.archive, bot.printable, bot.reports, bot.settings, engine, protocols.formats
"""
