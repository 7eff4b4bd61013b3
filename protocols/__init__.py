"""The protocols and file formats of other programs, without any I/O.

Imports: protocols.formats
"""
