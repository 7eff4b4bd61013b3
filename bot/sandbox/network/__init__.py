"""Lines from clients, and the faults a network can have.

Imports: engine.system
"""
