"""The lines themselves: bytes to lines to messages, commands to lines, the board line.

Imports: engine.position, engine.system
"""

LONGEST_COMMAND = 255  # bytes; the limit of FIBS is unknown, this is safe
LONGEST_NAME = 40
LONGEST_MATCH = 99
