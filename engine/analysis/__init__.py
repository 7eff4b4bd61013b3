"""How well and how luckily a match was played: values, judging, statistics, JSON.

Imports: engine.codec, engine.kernels, engine.nets, engine.position, engine.ratings, engine.search
"""
