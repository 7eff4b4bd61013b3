"""Records every match in a database and in files, and recovers lost games.

Imports: bot.matchlog, bot.settings, engine, protocols
"""
