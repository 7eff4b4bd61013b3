"""The command line: parse, wire, exit code. Here: what the commands share.

Imports: bot, engine, protocols
"""
