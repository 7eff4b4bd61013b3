"""The command line as data: commands, options, values, examples; and how words are parsed by it.

Imports: bot.process, bot.settings, engine.position, engine.system
"""
