"""Commands for development: training, strength, calibration, benchmarks.

Imports: bot, engine, protocols
"""
