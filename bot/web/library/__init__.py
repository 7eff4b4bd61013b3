"""The archive in the browser: lists, statistics, replays, downloads, imports, analyses.

Imports: bot.analysis, bot.archive, bot.printable, bot.reports, bot.web.frame, bot.workers, engine, protocols
"""
