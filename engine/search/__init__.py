"""The search, the cube, match equity, resignations, rollouts, levels; callers start at `decide`.

Imports: engine, engine.bearoff, engine.kernels, engine.nets, engine.people
"""
