"""Compiled kernels, and the folder that keeps them.

Imports: engine.system
"""
