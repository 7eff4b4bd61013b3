"""What happens in our matches, as events: made from the server's messages, given to a recorder.

Imports: engine, protocols
"""
