"""The control of running bots."""
