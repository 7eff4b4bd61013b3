"""What the server knows: accounts, who is here, matches, how it speaks.

Imports: engine.position, engine.game, protocols.fibs.wire
"""
