"""Commands for people who collect and study matches.

Imports: bot, engine, protocols
"""
