"""What the manuals teach about one position: counts, races, cube points, rolls.

Imports: engine.bearoff, engine.dice, engine.kernels, engine.position, engine.search
"""
