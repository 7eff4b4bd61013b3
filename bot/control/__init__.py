"""Steers running bots: the operator's orders and facts, the control socket, new settings.

Imports: bot.archive, bot.client, bot.matchlog, bot.process, bot.settings, engine, protocols
"""
