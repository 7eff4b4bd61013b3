"""Steers running bots: the operator's orders, the control socket, new settings.

Imports: bot.client, bot.process, bot.settings, engine, protocols.fibs.wire
"""
