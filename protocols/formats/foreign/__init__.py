"""Match files of servers and programs of the past, each read by a module of its own.

Imports: engine.position, protocols.formats
"""
