"""Where compiled kernels are kept, and who compiles them.

Imports: nothing of ours
"""
