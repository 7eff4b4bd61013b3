"""Positions in the browser: by any ID, with the engine's opinion.

Imports: bot.web.frame, bot.web.play.coach, engine, protocols.formats
"""
