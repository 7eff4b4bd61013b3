"""Browsers, people at them, and what the pages are filled with."""
