"""A match against the engine: the match itself, the engine behind it, its pages.

Imports: bot.process, bot.settings, bot.web.frame, bot.web.library, engine, protocols.formats
"""
