"""The JSON that commands print: its types, and their JSON Schemas.

Imports: bot, engine, protocols
"""
