"""Events of our matches: values, their making from the server's messages, and recorders.

Imports: engine, protocols
"""
