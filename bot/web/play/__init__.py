"""A match against the engine: the match itself, the engine behind it, its pages.

Imports: bot.printable, bot.web.frame, bot.web.library, engine, protocols.formats
"""
