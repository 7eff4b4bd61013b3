"""Match files of other servers and programs, most of the past, each read by a module of its own.

Imports: engine.position, protocols.formats
"""
