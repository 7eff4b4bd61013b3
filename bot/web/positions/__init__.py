"""Positions in the browser: set up by hand or by any ID, with the engine's opinion, rolled out.

Imports: bot.interfaces, bot.reports, bot.web, bot.workers, engine, protocols.formats
"""
