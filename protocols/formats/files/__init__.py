"""Match files of every format: recognising and reading them.

Imports: protocols.formats, protocols.formats.foreign, protocols.formats.sgf, protocols.formats.xg
"""
