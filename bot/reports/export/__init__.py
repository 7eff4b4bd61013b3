"""Matches as documents with boards: text, HTML, PDF and PNG.

Imports: bot.printable, bot.reports, engine.position, protocols.formats
"""
