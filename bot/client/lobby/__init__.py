"""Whom we play, and what we answer in chat.

Imports: bot.archive, bot.printable, bot.settings, protocols.fibs
"""
