"""Questions about many analyses: errors, openings, quizzes, and the table of decisions.

Imports: bot.analysis, bot.archive, bot.process, engine, protocols.formats
"""
