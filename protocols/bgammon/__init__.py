"""A connection to a server of bgammon.org's kind: one JSON object a line, commands as words.

It speaks the messages, questions and commands of `protocols.fibs`, so a bot plays on both. The
server's own words are in `events` and `commands`, its board is in `orientation`.

Imports: engine.game, engine.position, engine.system, protocols.fibs
"""
