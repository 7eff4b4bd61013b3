"""Errors and luck of a match: values, judging, statistics, JSON.

Imports: engine.codec, engine.kernels, engine.nets, engine.position, engine.ratings, engine.search
"""
