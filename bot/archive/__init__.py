"""Every match as it happens, in a database and in files; recovered after gaps, imported, counted.

Imports: bot.settings, engine, protocols
"""
