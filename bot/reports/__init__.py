"""Boards, charts and analyses for people: text, SVG, HTML.

Imports: bot.archive, bot.process, engine.analysis, engine.game, engine.system, engine.position, engine.search, engine.study, protocols
"""  # noqa: E501 - one line, for tests/test_architecture.py
