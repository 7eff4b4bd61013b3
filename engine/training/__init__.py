"""Self-play training; nothing outside this package imports it."""
