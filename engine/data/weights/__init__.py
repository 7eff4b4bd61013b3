"""The nets that ship, named by their hash.

Imports: nothing of ours
"""
