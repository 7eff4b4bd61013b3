"""Boards, charts and analyses for people: text, SVG, HTML.

Imports: bot.archive, bot.printable, engine.analysis, engine.position, engine.study, protocols
"""
