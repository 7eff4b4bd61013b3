"""Match files of every format: which it is, and who reads it.

Imports: protocols.formats, protocols.formats.foreign, protocols.formats.sgf, protocols.formats.xg
"""
