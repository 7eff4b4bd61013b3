"""The commands that users type; a command changes the state and does nothing else.

Imports: bot.sandbox.state, engine, protocols.fibs
"""
