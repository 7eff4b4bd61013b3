"""Matches as documents with boards: text, HTML, PDF and PNG.

Imports: bot.process, bot.reports, engine.analysis, engine.position, engine.system, protocols.formats
"""  # noqa: E501 - one line, for tests/test_architecture.py
