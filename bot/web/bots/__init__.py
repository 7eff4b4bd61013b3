"""Running bots in the browser: their matches, and orders to them.

Imports: bot, engine, protocols
"""
