"""Files, processes and cores of this machine, and the wording of errors, for all floors.

Imports: nothing of ours
"""
