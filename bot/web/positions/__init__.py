"""Positions in the browser: set up by hand or by any ID, with the engine's opinion, rolled out.

Imports: bot.interfaces, bot.reports, bot.web.frame, bot.web.library, bot.web.play, bot.process, engine, protocols.formats
"""  # noqa: E501 - one line, for tests/test_architecture.py
