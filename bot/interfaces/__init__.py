"""The engine for other programs: JSON lines, gnubg's socket, UBGI, Python; gnubg as a referee.

Imports: bot.process, bot.reports, engine, protocols.engines, protocols.formats
"""
