"""Commands that evaluate positions or serve the engine to other programs.

Imports: bot, engine, protocols
"""
