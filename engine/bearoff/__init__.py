"""Exact bearoff databases: built, written, read, asked.

Imports: engine, engine.kernels
"""
