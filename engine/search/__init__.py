"""Looking ahead, the cube, match equity, resignations, rollouts, levels; callers start at `decide`.

Imports: engine.kernels, engine.nets, engine.position, engine.rules, engine.wholefiles
"""
