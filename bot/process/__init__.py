"""The process that all parts of the bot share: its log, workers, memory, text and version.

Imports: bot.settings, engine.system
"""
