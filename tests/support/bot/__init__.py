"""The bot in virtual time, in processes, and in long runs."""
