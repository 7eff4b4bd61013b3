"""Network files, and what the nets say of a position.

Imports: engine.bearoff, engine.kernels, engine.position, engine.wholefiles
"""
