"""The person's own page: figures, and errors that are asked again.

Imports: bot, engine, protocols
"""
