"""Records every match in a database and in files; recovers lost games, imports files, counts.

Imports: bot.settings, engine, protocols
"""
