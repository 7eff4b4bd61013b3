"""The service: whatever touches clocks, sockets, files and users. Here: what its rooms share.

Imports: bot.settings
"""
