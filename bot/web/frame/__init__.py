"""The frame of all pages: access, templates, tasks, the board.

Imports: bot.process, bot.reports, bot.settings, engine
"""
