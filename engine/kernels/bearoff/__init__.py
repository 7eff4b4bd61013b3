"""Bearoff positions as numbers: filling databases and looking them up.

Imports: engine.kernels.machine, numpy, numba, typing
"""
