"""Errors and luck of a match: values, judging (thresholds of blunders), statistics, JSON.

Imports: engine.codec, engine.kernels, engine.nets, engine.position, engine.ratings, engine.search, engine.system
"""  # noqa: E501 - one line, for tests/test_architecture.py
