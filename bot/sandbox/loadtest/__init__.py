"""What a server costs under load: clients that play at random, for `sixprime bench` and the tests.

Imports: bot.footprint, bot.sandbox.store, engine, protocols.fibs
"""
