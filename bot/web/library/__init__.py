"""The archive in the browser: lists, replays, downloads.

Imports: bot.archive, bot.printable, bot.web.frame, engine, protocols.formats
"""
