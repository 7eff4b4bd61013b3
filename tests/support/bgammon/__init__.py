"""A small server of bgammon.org's kind for tests, and the real one's transcripts."""
