"""Files of eXtreme Gammon (.xg, .xgp, text exports) and OGXM.

Imports: engine.analysis.values, engine.position, engine.search.matchequity, engine.system, protocols.formats
"""  # noqa: E501 - one line, for tests/test_architecture.py
