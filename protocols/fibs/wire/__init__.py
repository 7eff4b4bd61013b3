"""The lines themselves: bytes to lines to messages, commands to lines, the board line.

Imports: engine.position
"""
