"""Exact bearoff databases: building, writing, reading, looking up.

Imports: engine, engine.kernels
"""
