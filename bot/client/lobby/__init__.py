"""Whom we play, and what we answer in chat.

Imports: bot.settings, protocols.fibs
"""
