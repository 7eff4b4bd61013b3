"""Match files of other servers and programs, many of them defunct; one module each.

Imports: engine.position, protocols.bgammon, protocols.formats
"""
