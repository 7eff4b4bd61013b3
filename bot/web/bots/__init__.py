"""Running bots in the browser: what they do now, and orders to them.

Imports: bot, engine, protocols
"""
