"""A match that people enter: action by action, or as lines of text.

Imports: bot.process, engine, protocols.formats
"""
