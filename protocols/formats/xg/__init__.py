"""Files of eXtreme Gammon and its kin: .xg and .xgp, XG's text exports, OGXM, BGBlitz's .bgf.

Imports: engine.analysis.values, engine.position, engine.search.matchequity, protocols.formats
"""
