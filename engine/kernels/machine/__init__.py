"""How kernels become machine code, and the loops that LLVM does not vectorise by itself.

Imports: numpy, numba, llvmlite, typing, collections.abc
"""
