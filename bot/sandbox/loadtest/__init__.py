"""Load tests: many clients that play at random, for `sixprime bench` and the tests.

Imports: bot.process, bot.sandbox.store, engine, protocols.fibs
"""
