"""The figures of docs/: their origins, and the command that measures them again."""
