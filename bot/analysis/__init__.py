"""Analyses of archived matches: made, stored, compared, and written into match records.

Imports: bot.archive, bot.process, engine, protocols.formats
"""
