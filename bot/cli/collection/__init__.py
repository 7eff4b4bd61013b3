"""Commands of whoever collects and studies matches.

Imports: bot, engine, protocols
"""
