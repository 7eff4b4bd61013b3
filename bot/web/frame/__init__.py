"""What all pages share: access, templates, the board.

Imports: bot.process, bot.reports, bot.settings, engine
"""
