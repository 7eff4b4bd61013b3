"""The browser: running bots, a board to play on, positions, the archive.

Imports: bot, engine, protocols
"""
