"""What every page shares: who may see it, how it is drawn, the board on it.

Imports: bot.passwordhash, bot.printable, bot.reports.board_svg, bot.settings, engine
"""
