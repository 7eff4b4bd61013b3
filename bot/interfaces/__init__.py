"""The engine for other programs: gnubg's socket, UBGI, notebooks; and gnubg as a referee.

Imports: bot.reports, engine, protocols.engines, protocols.formats
"""
