"""Load tests: many clients that play at random, for `sixprime bench` and the tests.

Imports: bot.footprint, bot.sandbox.store, engine, protocols.fibs
"""
