"""Files, processes, cores and addresses of this machine, and the tree of exceptions.

Imports: nothing of ours
"""
