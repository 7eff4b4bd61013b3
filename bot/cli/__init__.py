"""The command line: options, wiring, exit codes. This folder: what commands share.

Imports: bot, engine, protocols
"""
