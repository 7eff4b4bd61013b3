"""Nets, match equity tables, measured levels and benchmarks that ship.

Imports: nothing of ours
"""
