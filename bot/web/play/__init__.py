"""A match against the engine: the match itself, the engine behind it, its pages.

Imports: bot.process, bot.reports, bot.settings, bot.transcribing, bot.web.frame, bot.web.library, engine, protocols.formats
"""  # noqa: E501 - one line, for tests/test_architecture.py
