"""Compiling kernels, and the loops that LLVM does not vectorise by itself.

Imports: numpy, numba, llvmlite, typing, collections.abc
"""
