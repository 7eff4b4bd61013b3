"""The operator's settings: schema, file, example, levels, passwords.

Imports: engine.system, engine.bearoff, engine.nets, engine.search, protocols.fibs.wire
"""
