"""Numba over plain arrays: moves, inputs, nets, search, rollouts.

Imports: numpy, numba, llvmlite, math, typing, collections.abc
"""
