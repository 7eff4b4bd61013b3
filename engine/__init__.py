"""Position in, decision out: rules, databases, nets, search."""
