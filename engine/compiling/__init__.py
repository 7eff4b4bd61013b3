"""Compiled kernels, and the folder that keeps them.

Imports: nothing of ours
"""
