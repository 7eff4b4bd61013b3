"""The command line as data: commands, options, values and examples; and their parser.

Imports: bot.process, bot.settings, engine.position, engine.ratings, engine.system
"""
