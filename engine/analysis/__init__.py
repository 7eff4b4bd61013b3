"""How well, and how luckily, a match was played: values, judging, sums, JSON.

Imports: engine.kernels, engine.nets, engine.position, engine.search
"""
