"""The operator's settings: schema, file, example, levels, passwords.

Imports: engine.nearest, engine.nets, engine.search, protocols.fibs.wire
"""
