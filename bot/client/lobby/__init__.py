"""The choice of opponents, and the answers in chat.

Imports: bot.matchlog, bot.process, bot.settings, protocols
"""
