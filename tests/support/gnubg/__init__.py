"""The real gnubg, and clients and players of its protocol."""
