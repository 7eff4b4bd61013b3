"""Matches as documents with boards: text, HTML, PDF and PNG.

Imports: bot.process, bot.reports, engine, protocols.formats
"""
