"""Files of eXtreme Gammon (.xg, .xgp, text exports) and OGXM.

Imports: engine.analysis.values, engine.position, engine.search.matchequity, protocols.formats
"""
