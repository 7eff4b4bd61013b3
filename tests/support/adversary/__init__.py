"""A server that plays against us: whatever it says, the bot keeps its promises.

    python -m tests.support.adversary --seed 7 --exchanges 20000

`vocabulary` has everything a server can say, `hostile` and `fixed` are servers that say it, `stage`
plays the real service against one of them in virtual time, `judge` knows what must be true all
along, and `tape` keeps what was said, shrinks it, and plays it again.
"""
