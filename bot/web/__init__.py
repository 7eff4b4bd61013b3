"""The browser: a board to play on, positions, the archive.

Imports: bot.archive, bot.reports, bot.settings, engine, protocols.formats
"""
