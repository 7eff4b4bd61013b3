"""Self-play, refinement and polishing of nets.

Imports: engine
"""
