"""A FIBS-compatible server: world (pure), store (durable), serve (sockets), house (its bots)."""
