"""Commands about positions, levels and the engine.

Imports: bot, engine, protocols
"""
