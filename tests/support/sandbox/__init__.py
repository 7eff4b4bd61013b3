"""The sandbox's world, and clients of it."""
