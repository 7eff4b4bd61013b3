"""Whom we play, and what we answer in chat.

Imports: bot.archive, bot.settings, protocols.fibs
"""
