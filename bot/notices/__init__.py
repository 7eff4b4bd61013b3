"""Notices to the operator when something is wrong with a bot, by webhook and mail.

Imports: bot.client, bot.process, bot.settings, engine.system
"""
