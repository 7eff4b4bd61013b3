"""The operator's settings: schema, file, example, levels, passwords.

Imports: engine, protocols.fibs.wire
"""
