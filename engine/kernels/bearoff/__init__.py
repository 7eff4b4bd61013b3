"""Bearoff positions as numbers: databases filled and looked up.

Imports: engine.kernels.machine, numpy, numba, typing
"""
