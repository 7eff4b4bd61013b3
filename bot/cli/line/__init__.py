"""The command line as data: commands, options, values and examples; and their parser.

Imports: bot.archive.collection.filters, bot.process, bot.settings,
engine.compiling.preparations, engine.position, engine.ratings, engine.system
"""
