"""Compiling kernels, and the loops that LLVM does not vectorise by itself.

Imports: engine.compiling, numpy, numba, llvmlite, typing, collections.abc
"""
