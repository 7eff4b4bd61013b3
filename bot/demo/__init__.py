"""`sixprime demo`: a server, two bots, and the screen that shows their match.

Imports: bot, engine, protocols.formats
"""
