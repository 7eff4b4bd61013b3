"""The operator's settings: schema, file, example, levels, passwords.

Imports: engine.search, protocols.fibs.wire
"""
