"""What all pages share: access, templates, the board.

Imports: bot.passwordhash, bot.printable, bot.reports.board_svg, bot.settings, engine
"""
