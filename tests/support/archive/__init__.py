"""Archives for tests: events told to them, files imported, rows of their statistics."""
