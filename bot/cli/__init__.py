"""The command line: parse, wire, exit code."""
