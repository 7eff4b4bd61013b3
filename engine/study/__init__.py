"""The manuals' lessons about one position: counts, races, cube points, rolls.

Imports: engine.bearoff, engine.kernels, engine.nets, engine.position, engine.rules, engine.search, engine.system
"""  # noqa: E501 - one line, for tests/test_architecture.py
