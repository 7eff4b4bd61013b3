"""Matches in the formats of files."""
