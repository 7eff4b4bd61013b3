"""Bearoff positions as numbers: databases filled and looked up.

Imports: engine.kernels.compiled, numpy, numba, math, typing, collections.abc
"""
