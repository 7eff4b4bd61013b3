"""Looking ahead, the cube, match equity, resignations, rollouts, levels; `decide` is the door.

Imports: engine.kernels, engine.nets, engine.position, engine.rules, engine.wholefiles
"""
