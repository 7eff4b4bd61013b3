"""Whom we play, and what we answer in chat.

Imports: bot.archive, bot.process, bot.settings, protocols.fibs
"""
