"""Network files, and evaluating positions with them.

Imports: engine.bearoff, engine.kernels, engine.position, engine.system
"""
