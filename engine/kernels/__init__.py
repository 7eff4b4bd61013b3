"""Numba kernels on plain arrays: moves, inputs, nets, search, rollouts.

Imports: engine.kernels, numpy, numba, typing
"""
