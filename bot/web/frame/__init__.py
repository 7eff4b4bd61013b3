"""What all pages share: access, templates, the board.

Imports: bot.process, bot.reports.board_svg, bot.settings, engine
"""
