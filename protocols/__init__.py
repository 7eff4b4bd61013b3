"""Foreign languages, without any I/O.

Imports: nothing of ours
"""
