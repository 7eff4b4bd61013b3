"""Everything that touches clocks, sockets, files and users.

Imports: nothing of ours
"""
