"""Steers running bots: what an operator may do, the control socket, new settings.

Imports: bot.client, bot.process, bot.settings, engine, protocols.fibs.wire
"""
