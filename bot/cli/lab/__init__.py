"""Commands of the laboratory: training, strength, calibration, speeds.

Imports: bot, engine, protocols
"""
