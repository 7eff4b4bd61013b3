"""The service: everything that touches clocks, sockets, files and users."""
