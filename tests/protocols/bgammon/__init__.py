"""The protocol of bgammon.org, by the real server's transcripts and by a small fake of it."""
