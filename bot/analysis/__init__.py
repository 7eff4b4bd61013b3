"""Analyses of archived matches: making them, keeping them, putting them into records.

Imports: bot.archive, engine, protocols.formats
"""
