"""What is told the operator when something is wrong with a bot: noticing it, webhook and mail.

Imports: bot.client, bot.printable, bot.settings
"""
