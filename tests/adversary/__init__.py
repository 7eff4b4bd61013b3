"""The adversary finds nothing, and what it once found stays mended."""
