"""With whom we play, and what we say to those who ask.

Imports: bot.settings, protocols.fibs
"""
