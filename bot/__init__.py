"""Everything that touches clocks, sockets, files and users. This folder: what the others share.

Imports: bot.settings, engine
"""
