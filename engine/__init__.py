"""Position in, decision out: rules, databases, nets, search. No I/O but its own data files.

Imports: engine.compiling, engine.kernels
"""

from sixprime.engine.compiling.place import cache_folder

__all__ = ["cache_folder"]
