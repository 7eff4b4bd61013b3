"""The command line: options, wiring, exit codes. This folder holds the parts that commands share.

Imports: bot, engine, protocols
"""
