"""Whom we play, and what we answer in chat.

Imports: bot.matchlog, bot.process, bot.settings, protocols.fibs
"""
