"""Analyses archived matches, stores the analyses and writes them into match records.

Imports: bot.archive, bot.process, engine, protocols.formats
"""
