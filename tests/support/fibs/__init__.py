"""Server lines and golden transcripts."""
