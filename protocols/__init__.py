"""Foreign languages, without any I/O."""
