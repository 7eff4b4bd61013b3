"""The archive in the browser: lists, statistics, replays, downloads, imports, analyses.

Imports: bot, engine, protocols
"""
