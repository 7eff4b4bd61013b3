"""The verbs of `sixprime archive`.

Imports: bot, engine, protocols
"""
