"""Functions that are compiled at their first call, and kept on disk.

Numba compiles a function once for each tuple of argument types, and again into every kernel that
calls it. This module adds two things. A kernel called from Python gets a wrapper that unpacks its
arguments, a kernel called from kernels does not: nets and scratch are many arrays, and their
wrappers took a third of the time. And each compiled kernel is a file, made by one process at a
time: numba's own cache knows neither the other sources of a kernel, nor processes that start
together.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any

import llvmlite
import numba
from numba import config as _config
from numba.core import sigutils, types
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.registry import CPUDispatcher
from numba.core.runtime.nrt import rtsys
from numba.core.serialize import dumps

from sixprime.engine.compiling.place import kernels_folder, not_kept

try:
    import fcntl
except ImportError:  # Windows: processes that start together compile the same
    fcntl = None  # type: ignore[assignment]

BARE = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
config: Any = _config  # its type stubs leave out what it reads from the environment
SEAL = 32  # bytes of the digest at the head of a file
_VERSIONS = (numba.__version__, llvmlite.__version__, sys.implementation.cache_tag, sys.abiflags)
_SWITCHES = (config.BOUNDSCHECK, config.OPT, config.DEBUGINFO_DEFAULT)

compiling: list[Callable[[str], None]] = []  # called with the name of each kernel to compile


class _Files(NullCache):
    """The compiled versions of one function, each in a file of its own."""

    def __init__(self, function: Any, options: dict[str, Any]) -> None:
        self.name = f"{function.__module__.rsplit('.', 1)[-1]}.{function.__qualname__}"
        self._made_by = (function.__module__, sorted(map(repr, options.items())))
        self._makes_arrays = options.get("_nrt", True)

    def path(self, signature: Any, codegen: Any) -> Path:
        arguments, _ = sigutils.normalize_signature(signature)
        whole = (_VERSIONS, _SWITCHES, self._made_by, codegen.magic_tuple(), arguments)
        return kernels_folder() / f"{self.name}-{hashlib.sha256(repr(whole).encode()).hexdigest()}"

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        # A compiled kernel needs none of numba's facts for compiling, a fifth of a start.
        if self._makes_arrays:
            rtsys.initialize(target_context)
        try:
            kept = self.path(sig, target_context.codegen()).read_bytes()
        except OSError:
            return None
        if hashlib.sha256(kept[SEAL:]).digest() != kept[:SEAL]:  # the disk was full
            return None
        return CompileResult._rebuild(target_context, *pickle.loads(kept[SEAL:]))

    def save_overload(self, sig: Any, cres: Any) -> None:
        path = self.path(sig, cres.codegen)
        code = dumps(cres._reduce())
        fresh = path.with_name(f"{path.name}.{os.getpid()}")
        try:
            fresh.write_bytes(hashlib.sha256(code).digest() + code)
            fresh.replace(path)
        except OSError as error:
            with suppress(OSError):
                fresh.unlink()
            not_kept(error.strerror or str(error))


class _Kernel(CPUDispatcher):
    """A function that is compiled for Python; other kernels call `inner`."""

    def __init__(self, function: Any, options: dict[str, Any]) -> None:
        super().__init__(function, targetoptions=options)
        self._cache = _Files(function, options)
        self._options = options

    @cached_property
    def inner(self) -> Any:
        calls_itself = self.py_func.__name__ in self.__code__.co_names
        if calls_itself or BARE.items() <= self._options.items():
            return self
        return _Kernel(self.py_func, {**self._options, **BARE})

    @property
    def _numba_type_(self) -> Any:
        return types.Dispatcher(self.inner)

    def compile(self, sig: Any) -> Any:
        """Load it from its file, or make the file, while other processes wait."""
        arguments, _ = sigutils.normalize_signature(sig)
        if tuple(arguments) in self.overloads:
            return super().compile(sig)
        target: Any = self.targetctx
        path = self._cache.path(sig, target.codegen())
        with _interrupts_kept():
            if path.exists():
                return super().compile(sig)
            with _alone(path) as first:
                if first:
                    for tell in compiling:
                        tell(self._cache.name)
                return super().compile(sig)


@contextmanager
def _interrupts_kept() -> Iterator[None]:
    """Raise a Ctrl-C that LLVM's calls back into Python would lose and print.

    Only the main thread gets it.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    lost, told = [], sys.unraisablehook

    def keep(what: Any) -> None:
        if what.exc_type is KeyboardInterrupt:
            lost.append(what.exc_type)
        else:
            told(what)

    sys.unraisablehook = keep
    try:
        yield
    finally:
        sys.unraisablehook = told
        if lost:
            raise KeyboardInterrupt


@contextmanager
def _alone(path: Path) -> Iterator[bool]:
    """Wait until no other process makes this file; yield False if it exists then."""
    lock = path.with_name(f"{path.name}.lock")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = lock.open("wb")
    except OSError as error:
        not_kept(error.strerror or str(error))
        yield True
        return
    with file:
        if fcntl is not None:
            with suppress(OSError):  # a file system without locks
                fcntl.flock(file, fcntl.LOCK_EX)
        try:
            yield not path.exists()
        finally:
            lock.unlink(missing_ok=True)


def compiled(function: Any, **options: Any) -> Any:
    """Compile a function at its first call, with these options of numba's."""
    if config.DISABLE_JIT:
        return function
    return _Kernel(function, {"nopython": True, "nogil": True, "boundscheck": None, **options})
